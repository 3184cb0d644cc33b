// The citation check (design K1): an answer against what the model was shown, without a model, the same every time.

import { marksOf, type Mark } from './citations.ts';
import { comparisonProblems } from './comparison.ts';
import { comparisonsOf } from './comparisons.ts';
import { blanked, fold } from './fold.ts';
import { decimalMarkOf, languageOf, type DecimalMark, type Language } from './language.ts';
import { indexOf, sameWords, type MemoryIndex, type Vocabulary } from './memory_index.ts';
import { knownNames } from './names.ts';
import { partsOf } from './polarity.ts';
import type { CheckedSentence, CheckReport, Citation, Problem, Verdict } from './report.ts';
import type { ShownMemory, ShownWindow } from './shown_memory.ts';
import { statementsOf, type Statement } from './statements.ts';
import { subjectFinder } from './subjects.ts';
import { attributionProblems, denialProblems, tokenProblems, type Claim } from './support.ts';
import { isLabel, tokensOf } from './tokens.ts';

/** What an answer is judged by. */
interface Sense extends Vocabulary {
  readonly answer: string;
  readonly folded: string;
  readonly language: Language | null;
  readonly mark: DecimalMark | null;
  readonly planned: readonly string[];
  /** The memory of a citation id, made ready when it is first cited. */
  readonly indexed: (id: string) => MemoryIndex | null;
}

/** Checks every sentence of an answer. Never throws; the order of the memories does not matter. */
export function checkAnswer(answer: string, window: ShownWindow): CheckReport {
  const folded = fold(answer);
  const sense = senseOf(answer, folded, window);
  const marks = marksOf(folded, (id) => sense.indexed(id) !== null);
  const sentences = cited(statementsOf(folded), marks, folded).map((made) => judged(made, sense));
  return reportOf(sentences);
}

function senseOf(answer: string, folded: string, window: ShownWindow): Sense {
  const memories = new Map(window.memories.map((memory) => [memory.id, memory]));
  const vocabulary: Vocabulary = {
    known: knownNames([...memories.values()].map(namingText)),
    findSubjects: subjectFinder([...memories.values()]),
  };
  const indexes = new Map<string, MemoryIndex>();
  const language = languageOf(answer);
  return {
    answer,
    folded,
    language,
    mark: decimalMarkOf(folded, language),
    ...vocabulary,
    planned: window.subjects,
    indexed: (id) => {
      const memory = memories.get(id);
      if (memory === undefined) return null;
      const index = indexes.get(id) ?? indexOf(memory, vocabulary);
      indexes.set(id, index);
      return index;
    },
  };
}

function namingText({ text, names, claim }: ShownMemory) {
  const bare = claim === null ? [] : [claim.subject.slice(claim.subject.lastIndexOf(':') + 1)];
  return { text: fold(text), language: languageOf(text), names: claim === null ? [] : [...names, ...bare] };
}

/** A statement with the citation marks that stand in it or directly behind it. */
interface CitedStatement extends Statement {
  readonly marks: readonly Mark[];
}

/** A statement that further marks may still be given to. */
interface OpenStatement {
  readonly kind: Statement['kind'];
  readonly start: number;
  end: number;
  readonly marks: Mark[];
}

const onlyMarks =
  /^[\s\uFFFC.,;:。、()*_-]*(?:(?:sources?|quellen?|fuentes?|fontes?|出典|来源):?)?[\s\uFFFC.,;:。、()*_-]*$/iu;
const openingMarks = /^(?:\s*\uFFFC+[.,;。]?)+\s*/;

/** Citations that open a statement belong to the one before it; a statement of citations alone is none. */
function cited(statements: readonly Statement[], marks: readonly Mark[], folded: string): readonly CitedStatement[] {
  const result: OpenStatement[] = [];
  let next = 0;
  for (const { kind, start, end } of statements) {
    while ((marks[next]?.end ?? Infinity) <= start) next += 1;
    const own: Mark[] = [];
    for (let mark = marks[next]; mark !== undefined && mark.start < end; mark = marks[(next += 1)]) own.push(mark);
    const text = withoutMarks(folded, { start, end, marks: own });
    const before = result.at(-1);
    const opening = before === undefined ? 0 : openingLength(text, own.length > 0);
    const given = own.filter((mark) => mark.end <= start + opening);
    if (before !== undefined && given.length > 0) {
      before.marks.push(...given);
      before.end = given.at(-1)?.end ?? before.end;
    }
    if (opening < text.length) result.push({ kind, start: start + opening, end, marks: own.slice(given.length) });
  }
  return result;
}

/** How much of a statement belongs to the one before it: all of it, where it holds nothing but citations. */
function openingLength(text: string, hasMarks: boolean): number {
  if (!hasMarks) return 0;
  return onlyMarks.test(text) ? text.length : (openingMarks.exec(text)?.[0].length ?? 0);
}

/** The text of a statement, line ends as spaces, its citations blanked out. */
function withoutMarks(folded: string, { start, end, marks }: Omit<CitedStatement, 'kind'>): string {
  const spans = marks.map((mark) => ({ start: mark.start - start, end: mark.end - start }));
  return blanked(folded.slice(start, end), spans).replace(/[\r\n]/g, ' ');
}

function judged(statement: CitedStatement, sense: Sense): CheckedSentence {
  const { start, end, marks } = statement;
  const citations = marks.flatMap((mark) => mark.citations);
  const made = (verdict: Verdict, problems: readonly Problem[] = []): CheckedSentence => ({
    start,
    end,
    verdict,
    citations,
    problems,
  });
  const { claim, comparisons, isClaim } = claimOf(statement, sense);
  if (!isClaim) return made('no_claim');
  if (citations.length === 0) return made('uncited');
  const shown = shownBy(citations, sense);
  if (shown.length === 0) return made('unsupported', citations.map(absentProblem));
  const problems = tokenProblems(claim, shown);
  if (problems.every(({ kind }) => kind === 'missing') && isVerbatim(claim, shown)) return made('supported');
  const found = [
    ...problems,
    ...denialProblems(claim, shown, (part) =>
      comparisons.some((one) => one.start >= part.start && one.start < part.end),
    ),
    ...attributionProblems(claim, shown, sense.findSubjects(claim.text)),
    ...comparisonProblems(claim, comparisons, {
      cited: shown,
      findSubjects: sense.findSubjects,
      planned: sense.planned,
    }),
  ];
  return made(
    found.length === 0 ? 'supported' : 'unsupported',
    found.toSorted((a, b) => a.start - b.start || a.end - b.end),
  );
}

/** The statement without its citations, with what can be checked in it. A question claims nothing. */
function claimOf(statement: CitedStatement, sense: Sense) {
  const { start, marks, kind } = statement;
  const text = withoutMarks(sense.folded, statement);
  const language = languageOf(text) ?? sense.language;
  const tokens = tokensOf(text, { language, mark: sense.mark, known: sense.known, as: 'answer' });
  const comparisons = kind === 'code' ? [] : comparisonsOf(text);
  const claim: Claim = {
    text,
    tokens,
    parts: partsOf(text, language),
    start,
    said: (from, until) => sense.answer.slice(start + from, start + until),
  };
  const isQuestion = /[?？]["'”’)\]\s\uFFFC*_]*$/.test(text);
  const isNamed = kind === 'label' && marks.length === 0 ? tokens.some((token) => !isLabel(token)) : tokens.length > 0;
  return { claim, comparisons, isClaim: !isQuestion && (isNamed || comparisons.length > 0) };
}

/** The cited memories that were shown, each once. */
function shownBy(citations: readonly Citation[], sense: Sense): readonly MemoryIndex[] {
  const ids = [...new Set(citations.map(({ id }) => id))];
  return ids.flatMap((id) => sense.indexed(id) ?? []);
}

function absentProblem({ id, start, end }: Citation): Problem {
  return { kind: 'absent', text: id, start, end };
}

/** A sentence that a cited memory says word for word needs no reading. */
function isVerbatim(claim: Claim, shown: readonly MemoryIndex[]): boolean {
  const words = sameWords(claim.text);
  return shown.some(({ statements }) => statements.has(words));
}

function reportOf(sentences: readonly CheckedSentence[]): CheckReport {
  const count = (verdict: Verdict): number => sentences.filter((sentence) => sentence.verdict === verdict).length;
  const citations = sentences.flatMap((sentence) => sentence.citations);
  const absent = citations.filter(({ present }) => !present).length;
  const unsupported = count('unsupported');
  return {
    ok: absent === 0 && unsupported === 0,
    counts: {
      supported: count('supported'),
      unsupported,
      uncited: count('uncited'),
      no_claim: count('no_claim'),
      present: citations.length - absent,
      absent,
    },
    sentences,
  };
}
