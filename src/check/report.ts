// What a check says (design K1): a verdict for each sentence, with places in the answer in UTF-16 units, ends exclusive.

/** What became of a sentence. A sentence without anything that can be checked is `no_claim`. */
export type Verdict = 'supported' | 'unsupported' | 'uncited' | 'no_claim';

/**
 * Why a sentence is unsupported: it cites only ids that were not shown (`absent`), a token stands in no cited memory
 * (`missing`), a value was corrected (`stale`), the memory says the opposite (`denied`), a number belongs to another
 * subject (`misattributed`), or nothing cited makes the comparison (`comparison`).
 */
export type ProblemKind = 'absent' | 'missing' | 'stale' | 'denied' | 'misattributed' | 'comparison';

/** One reason, with the words of the answer that it is about. `current`: the id of the fact that corrects a stale value. */
export interface Problem {
  readonly kind: ProblemKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly current?: string;
}

/** A citation where it stands. */
export interface Citation {
  readonly id: string;
  readonly start: number;
  readonly end: number;
  /** False: the window never showed this id. */
  readonly present: boolean;
}

/** A sentence, a list entry, a row of a table or a block of code; citations that follow it belong to it. */
export interface CheckedSentence {
  readonly start: number;
  readonly end: number;
  readonly verdict: Verdict;
  readonly citations: readonly Citation[];
  readonly problems: readonly Problem[];
}

/** The report on an answer, sentences in the order of the answer. `ok`: no id is absent and no sentence unsupported. */
export interface CheckReport {
  readonly ok: boolean;
  readonly counts: Readonly<Record<Verdict, number>> & { readonly present: number; readonly absent: number };
  readonly sentences: readonly CheckedSentence[];
}
