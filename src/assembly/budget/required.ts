// Required current facts (design B5): charged at full size to durable_facts' own share, before any slice is fitted.

import { type OptionalSlice, optionalSlices } from '../../model/budget.ts';
import { MemoryError } from '../../model/errors.ts';
import type { Exclusion } from '../../model/manifest.ts';
import { refKey } from '../../model/memory.ts';
import type { CountTokens } from '../../model/window.ts';
import { exclusionOf, formsAt, type Seat, seatOf, tokensOfForm } from '../fit.ts';
import { compareSeating } from '../select/order.ts';
import type { RequiredFact, Selected, Selection } from '../select/selection.ts';
import { fromSlices } from './allocate.ts';

/** Required facts with their places, and the candidates that still compete for one. */
export interface Charged {
  readonly required: readonly RequiredFact[];
  /** Seats of the required facts, in the selection's order. */
  readonly seats: readonly Seat[];
  readonly tokens: number;
  readonly slices: Selection['slices'];
  /** History left out because its correction does not fit (only with `drop_history`). */
  readonly excluded: readonly Exclusion[];
}

/** What decides whether required facts fit. */
export interface RequiredOptions {
  readonly policy: true | false | 'drop_history';
  /** Tokens of durable_facts' own share; carry never helps. */
  readonly allotted: number;
  readonly countTokens: CountTokens;
}

/**
 * Charges the required facts. If they do not fit: throws `required_correction_unfit` with refs, tokens needed and left;
 * with `drop_history` the history that needs them leaves instead, worst first, until the facts still needed fit.
 */
export function chargeRequired(selection: Selection, options: RequiredOptions): Charged {
  if (options.policy === false) return { required: [], seats: [], tokens: 0, slices: selection.slices, excluded: [] };
  const seats = new Map(
    selection.required.map((required) => [refOf(required.fact), seatRequired(required.fact, options)]),
  );
  const tokensOf = (facts: readonly RequiredFact[]) =>
    facts.reduce((total, { fact }) => total + (seats.get(refOf(fact))?.seated.tokens ?? 0), 0);

  let required = selection.required;
  const excluded: Exclusion[] = [];
  const gone = new Set<string>();
  const history = options.policy === 'drop_history' ? worstFirst(selection, required) : [];
  for (const { selected, slice } of history) {
    if (tokensOf(required) <= options.allotted) break;
    const key = refOf(selected);
    const cause = required.find((fact) => needs(fact, key));
    if (cause === undefined) continue;
    const detail = { required: cause.fact.candidate.memory.ref };
    excluded.push(exclusionOf(selected.candidate.memory.ref, slice, 'conflict', detail));
    gone.add(key);
    required = required
      .map((fact) => ({ ...fact, neededBy: fact.neededBy.filter((ref) => refKey(ref) !== key) }))
      .filter((fact) => fact.neededBy.length > 0);
  }
  const tokens = tokensOf(required);
  if (tokens > options.allotted) throw unfit(required, tokens, options.allotted);
  return {
    required,
    seats: required.flatMap(({ fact }) => seats.get(refOf(fact)) ?? []),
    tokens,
    slices: fromSlices((slice) => selection.slices[slice].filter((selected) => !gone.has(refOf(selected)))),
    excluded,
  };
}

function seatRequired(fact: Selected, options: RequiredOptions): Seat {
  const [form] = formsAt(fact, 'full');
  if (form === undefined) throw new MemoryError('internal', 'A memory has no full form.');
  const tokens = tokensOfForm(fact, form, options.countTokens);
  return seatOf(fact, form, tokens, { slice: 'durable_facts', admittedBy: 'required_correction' });
}

/** The history that needs a required fact, the last by S5's order first. */
function worstFirst(
  selection: Selection,
  required: readonly RequiredFact[],
): readonly { readonly selected: Selected; readonly slice: OptionalSlice }[] {
  const needing = new Set(required.flatMap((fact) => fact.neededBy.map(refKey)));
  return optionalSlices
    .flatMap((slice) => selection.slices[slice].map((selected) => ({ selected, slice })))
    .filter(({ selected }) => needing.has(refOf(selected)))
    .toSorted((a, b) => compareSeating(b.selected, a.selected));
}

function needs(fact: RequiredFact, key: string): boolean {
  return fact.neededBy.some((ref) => refKey(ref) === key);
}

function refOf(selected: Selected): string {
  return refKey(selected.candidate.memory.ref);
}

function unfit(required: readonly RequiredFact[], needed: number, left: number): MemoryError {
  const refs = required.map(({ fact }) => fact.candidate.memory.ref);
  return new MemoryError(
    'required_correction_unfit',
    `The corrections that remembered history needs take ${needed} tokens and durable_facts has ${left}.`,
    { refs, needed, left },
  );
}
