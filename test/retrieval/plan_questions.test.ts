// The plan on the labelled questions (design Q1): at least nine of ten right, by intent, subjects and time, in each language.
import { describe, expect, it } from 'vitest';
import { instant } from '../../src/model/time.ts';
import { nameForms, questionNames } from '../../src/retrieval/names.ts';
import { makePlan } from '../../src/retrieval/plan.ts';
import { askedAt, knownSubjects, type PlanQuestion, planQuestions, unseenQuestions } from './plan_questions.ts';

/** As the store finds them: by any form of a subject's name or alias among the names that the question may mean. */
function planned({ question }: PlanQuestion) {
  const asked = new Set(questionNames(question));
  const subjects = Object.values(knownSubjects).filter(({ names }) =>
    names.flatMap(nameForms).some((form) => asked.has(form)),
  );
  return makePlan(question, { evaluationTime: instant(askedAt), subjects, collections: [], predicates: [] });
}

const byCodeUnit = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const measures = {
  intent: (labelled: PlanQuestion) => planned(labelled).intent === labelled.intent,
  subjects: (labelled: PlanQuestion) => {
    const expected = labelled.subjects.map((name) => knownSubjects[name]?.subject ?? name).toSorted(byCodeUnit);
    const found = planned(labelled).subjects.map(({ subject }) => subject);
    return JSON.stringify(found) === JSON.stringify(expected);
  },
  days: (labelled: PlanQuestion) => {
    const range = planned(labelled).timeRange;
    const found = range === null ? null : [range.from?.slice(0, 10) ?? null, range.until?.slice(0, 10) ?? null];
    return JSON.stringify(found) === JSON.stringify(labelled.days);
  },
};

describe('the plan on labelled questions [Q1]', () => {
  it('are at least 150 in English and 40 in four other languages, each once', () => {
    const english = planQuestions.filter(({ language }) => language === 'en');
    expect(english.length).toBeGreaterThanOrEqual(150);
    expect(planQuestions.length - english.length).toBeGreaterThanOrEqual(40);
    expect(new Set(planQuestions.map(({ language }) => language)).size).toBe(5);
    expect(new Set(planQuestions.map(({ question }) => question)).size).toBe(planQuestions.length);
  });

  it.for(
    (['intent', 'subjects', 'days'] as const).flatMap((measure) =>
      [...new Set(planQuestions.map(({ language }) => language))].map((language) => [measure, language] as const),
    ),
  )('reads the %s of at least nine of ten questions in %s', ([measure, language]) => {
    const own = planQuestions.filter((labelled) => labelled.language === language);
    const wrong = own.filter((labelled) => !measures[measure](labelled));
    expect(
      wrong.length / own.length,
      `wrong: ${wrong.map((labelled) => `${labelled.question} → ${JSON.stringify(planned(labelled))}`).join('\n')}`,
    ).toBeLessThanOrEqual(0.1);
  });

  it('reads the intent of at least four of five questions that no rule was made for', () => {
    const wrong = unseenQuestions.filter((labelled) => !measures.intent(labelled));
    expect(unseenQuestions.length).toBeGreaterThan(30);
    expect(
      wrong.length / unseenQuestions.length,
      `wrong: ${wrong.map(({ question }) => question).join(' ')}`,
    ).toBeLessThan(0.2);
  });
});
