// The query plan (design Q1): what a question asks for, by the rules in plan_rules.ts; no model is needed.

import { intents, type Intent, type Plan, type PlannedSubject } from '../model/plan.ts';
import type { Instant } from '../model/time.ts';
import { fold } from './analyse.ts';
import { languagesByScript, languagesByWords } from './language.ts';
import { normaliseName } from './names.ts';
import { collectionWords, intentRules, pairingWords } from './plan_rules.ts';
import { stem } from './stem.ts';
import { timeRangeOf } from './time_words.ts';

/** A subject that the question names; the store's port gives exactly this. */
export interface NamedSubject {
  readonly subject: string;
  readonly names: readonly string[];
}

/** What is known in the caller's scope when the plan is made. */
export interface PlanContext {
  readonly evaluationTime: Instant;
  /** Subjects that have one of the question's names. */
  readonly subjects: readonly NamedSubject[];
  /** Collections in scope. */
  readonly collections: readonly string[];
  /** Predicates of the facts in scope (or of those subjects). */
  readonly predicates: readonly string[];
}

/** Questions are read up to here, in UTF-16 code units. */
const longestQuestion = 8_000;

/** Makes the plan of a question. Lists are sorted by code unit, language hints likeliest first. */
export function makePlan(question: string, context: PlanContext): Plan {
  const read = readable(question);
  const words = normaliseName(question.slice(0, longestQuestion)).split(' ');
  const subjects = plannedSubjects(context.subjects);
  return {
    intent: intentOf(read, subjects.length),
    subjects,
    predicates: sorted(context.predicates.filter((predicate) => namesPredicate(words, predicate))),
    collections: sorted(context.collections.filter((collection) => namesCollection(words, collection))),
    timeRange: timeRangeOf(read, context.evaluationTime),
    languageHints: [...languagesByScript(read), ...languagesByWords(words)],
  };
}

/** The form that the rules read: lower case, without accents, plain apostrophes and single spaces. */
function readable(question: string): string {
  return fold(question.slice(0, longestQuestion).normalize('NFKC')).replaceAll('’', "'").replace(/\s+/g, ' ').trim();
}

function intentOf(question: string, subjectCount: number): Intent {
  const sums = new Map<Intent, number>();
  for (const { intent, pattern, weight } of intentRules) {
    if (pattern.test(question)) sums.set(intent, (sums.get(intent) ?? 0) + weight);
  }
  if (subjectCount >= 2 && pairingWords.test(question)) sums.set('comparison', (sums.get('comparison') ?? 0) + 3);
  // A word of comparison outweighs all signs of other intents: "how do I compare" still needs both sides.
  const best = intents.reduce((winner, intent) =>
    (sums.get(intent) ?? 0) > (sums.get(winner) ?? 0) ? intent : winner,
  );
  return (sums.get(best) ?? 0) >= 1 ? best : 'open';
}

function plannedSubjects(subjects: readonly NamedSubject[]): readonly PlannedSubject[] {
  const names = new Map<string, Set<string>>();
  for (const subject of subjects) {
    const known = names.get(subject.subject) ?? new Set([subject.subject]);
    for (const name of subject.names) known.add(name);
    names.set(subject.subject, known);
  }
  return sorted([...names.keys()]).map((subject) => ({ subject, names: sorted([...(names.get(subject) ?? [])]) }));
}

/** A predicate is named when all its words are, in any form and order: `refund_threshold` by "threshold for refunds". */
function namesPredicate(questionWords: readonly string[], predicate: string): boolean {
  const asked = new Set(questionWords.map(stem));
  const own = normaliseName(predicate)
    .split(' ')
    .filter((word) => word.length > 0);
  return own.length > 0 && own.every((word) => asked.has(stem(word)));
}

/** A collection is named by its whole name; a name of one plain word only beside a word such as "collection". */
function namesCollection(questionWords: readonly string[], collection: string): boolean {
  const own = normaliseName(collection)
    .split(' ')
    .filter((word) => word.length > 0);
  if (own.length === 0) return false;
  return questionWords.some((_, start) => {
    if (!own.every((word, offset) => questionWords[start + offset] === word)) return false;
    const [before, after] = [questionWords[start - 1], questionWords[start + own.length]];
    return own.length > 1 || [before, after].some((word) => word !== undefined && collectionWords.has(word));
  });
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
