// Reserves and fixed slices (design B1, B2, B7): what is left for the optional slices.

import { type Budget, type FixedSlice, fixedSlices } from '../../model/budget.ts';
import { MemoryError } from '../../model/errors.ts';

/** Tokens of the slices that are charged in full. */
export type FixedTokens = Readonly<Record<FixedSlice, number>>;

/** Tokens set aside before anything is charged: output, tools and overhead (design B1). */
export function reservedTokens(budget: Budget): number {
  return budget.outputReserve + budget.toolReserve + budget.requestOverheadReserve;
}

/** What the optional slices share, in tokens. Throws `slice_overflow` for the first fixed slice that does not fit (design B2). */
export function chargeFixed(budget: Budget, fixed: FixedTokens): number {
  let left = budget.usableContext - reservedTokens(budget);
  for (const slice of fixedSlices) {
    const needed = fixed[slice];
    if (needed > left) {
      throw new MemoryError(
        'slice_overflow',
        `The ${slice} slice needs ${needed} tokens and ${left} are left; it is never cut.`,
        { slice, needed, left },
      );
    }
    left -= needed;
  }
  return left;
}

/** Sum of the fixed slices, in tokens. */
export function fixedTotal(fixed: FixedTokens): number {
  return fixedSlices.reduce((total, slice) => total + fixed[slice], 0);
}

/** What a caller may ask for instead of the policy's figures. */
export interface BudgetWish {
  readonly usableContext?: number;
  readonly maxRounds?: number;
  readonly maxToolResultTokens?: number;
}

/** The budget with a caller's lower figures; a higher one changes nothing: the policy is the ceiling (design B7). */
export function lowerBudget(budget: Budget, wish: BudgetWish): Budget {
  return {
    ...budget,
    usableContext: Math.min(budget.usableContext, wish.usableContext ?? Infinity),
    maxRounds: Math.min(budget.maxRounds, wish.maxRounds ?? Infinity),
    maxToolResultTokens: Math.min(budget.maxToolResultTokens, wish.maxToolResultTokens ?? Infinity),
  };
}
