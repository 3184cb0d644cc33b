// Shares and carry (design B3, B4): how the remainder is split, and what a slice passes on.

import { type Budget, optionalSlices, type OptionalSlice, type Shares } from '../../model/budget.ts';
import { MemoryError } from '../../model/errors.ts';
import type { AllocationEntry } from '../../model/manifest.ts';
import type { Intent } from '../../model/plan.ts';

/** Tokens of each optional slice. */
export type SliceTokens = Readonly<Record<OptionalSlice, number>>;

/** The split of the remainder before any carry. */
export interface Allotments {
  readonly shares: Shares;
  readonly tokens: SliceTokens;
}

/**
 * Splits the remainder by the intent's shares (design B3): floors, and what rounding leaves goes to the first slice of
 * the overflow order. Throws `intent_without_shares`, and `policy_invalid` for an overflow order that is not all four slices.
 */
export function allot(budget: Budget, intent: Intent, remainder: number): Allotments {
  const shares = sharesOf(budget, intent);
  const first = overflowOrderOf(budget)[0];
  const tokens = fromSlices((slice) => Math.floor(remainder * shares[slice]));
  const rest = remainder - sumSlices(tokens);
  return { shares, tokens: fromSlices((slice) => tokens[slice] + (slice === first ? rest : 0)) };
}

/** `comparison` has its own shares or `default`; another intent its own, `default`, or those of `fact_check` (design B3). */
function sharesOf(budget: Budget, intent: Intent): Shares {
  const names = intent === 'comparison' ? [intent, 'default'] : [intent, 'default', 'fact_check'];
  const name = names.find((candidate) => Object.hasOwn(budget.shares, candidate));
  const shares = name === undefined ? undefined : budget.shares[name];
  if (shares === undefined) {
    throw new MemoryError('intent_without_shares', `The budget has no shares for the intent ${intent}.`, { intent });
  }
  return shares;
}

/** The overflow order, checked: each optional slice once. Throws `policy_invalid`. */
export function overflowOrderOf(budget: Budget): readonly OptionalSlice[] {
  const order = budget.overflowOrder;
  if (order.length !== optionalSlices.length || !optionalSlices.every((slice) => order.includes(slice))) {
    throw new MemoryError('policy_invalid', 'The overflow order must name each optional slice once.', {
      field: 'overflow_order',
    });
  }
  return order;
}

/** What a slice made of its tokens. */
export interface SliceUse {
  readonly used: number;
}

/** The slices after fitting: what each brought, and its account. */
export interface Filled<Use extends SliceUse> {
  readonly uses: Readonly<Record<OptionalSlice, Use>>;
  readonly allocation: Readonly<Record<OptionalSlice, AllocationEntry>>;
}

/**
 * Fits the slices in overflow order; what one leaves is carried to the next whose share is not 0 (design B4). `left` is
 * what nobody used: 0 but for the last slice that takes carry, so the sum of `used` and `left` is the remainder.
 */
export function fillSlices<Use extends SliceUse>(
  budget: Budget,
  allotments: Allotments,
  fill: (slice: OptionalSlice, available: number) => Use,
): Filled<Use> {
  const order = overflowOrderOf(budget);
  const filled = new Map<OptionalSlice, { readonly use: Use; readonly account: AllocationEntry }>();
  const lastReceiver = order.findLast((slice) => allotments.shares[slice] > 0);
  let carry = 0;
  for (const slice of order) {
    const share = allotments.shares[slice];
    const allotted = allotments.tokens[slice];
    const carriedIn = share > 0 ? carry : 0;
    const use = fill(slice, allotted + carriedIn);
    const rest = allotted + carriedIn - use.used;
    const keeps = slice === lastReceiver;
    carry = keeps ? 0 : carry - carriedIn + rest;
    const account = { share, allotted, carried_in: carriedIn, used: use.used, left: keeps ? rest : 0 };
    filled.set(slice, { use, account });
  }
  if (carry !== 0) throw new MemoryError('internal', 'Tokens were carried to no slice.', { carry });
  const of = (slice: OptionalSlice) => {
    const found = filled.get(slice);
    if (found === undefined) throw new MemoryError('internal', 'A slice was not filled.', { slice });
    return found;
  };
  return { uses: fromSlices((slice) => of(slice).use), allocation: fromSlices((slice) => of(slice).account) };
}

/** A value for each optional slice, in rendering order. */
export function fromSlices<Value>(valueOf: (slice: OptionalSlice) => Value): Readonly<Record<OptionalSlice, Value>> {
  return {
    durable_facts: valueOf('durable_facts'),
    evidence: valueOf('evidence'),
    recalled_history: valueOf('recalled_history'),
    volatile_tail: valueOf('volatile_tail'),
  };
}

/** Sum over the optional slices. */
function sumSlices(tokens: SliceTokens): number {
  return optionalSlices.reduce((total, slice) => total + tokens[slice], 0);
}
