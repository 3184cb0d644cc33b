// The order of a whole assembly (design 3): a pure function from a snapshot to a window and its manifest.

import type { AssembledWindow, AssemblyInput } from './assembly_input.ts';
import { allot } from './budget/allocate.ts';
import { chargeRequired } from './budget/required.ts';
import { chargeFixed } from './budget/reserve.ts';
import { fillOptional, renderingOrder } from './fill.ts';
import { fixedSlicesOf } from './fixed_slices.ts';
import { windowManifest } from './manifest.ts';
import { fitRequest } from './request_budget.ts';
import { select } from './select/select.ts';
import type { Selection } from './select/selection.ts';

/**
 * Assembles a window: same inputs, same bytes, on every machine. Throws `scope_violation`, `slice_overflow`,
 * `intent_without_shares`, `required_correction_unfit`, `request_over_budget`, `policy_invalid`.
 */
export function assemble(input: AssemblyInput): AssembledWindow {
  return assembleSelection(input, select(input));
}

/** The part after selection: what was selected gets its places, its request and its manifest. */
export function assembleSelection(input: AssemblyInput, selection: Selection): AssembledWindow {
  const { countTokens, question, plan } = input;
  const { budget } = input.policy;

  // Reserves, fixed slices in full, and the split of the rest by intent (B1, B2, B3).
  const fixed = fixedSlicesOf(input);
  const remainder = chargeFixed(budget, fixed.tokens);
  const allotments = allot(budget, plan.intent, remainder);

  // Corrections that history needs, before anything optional (B5).
  const charged = chargeRequired(selection, {
    policy: budget.requiredCorrections,
    allotted: allotments.tokens.durable_facts,
    countTokens,
  });

  // Each slice in overflow order, with what the ones before it left (B4, F1, S7).
  const filling = fillOptional(charged, allotments, { budget, countTokens });

  // The request as a whole, within its limit (B6, B7).
  const fitted = fitRequest(filling, fixed, { budget, question, countTokens });

  const seats = renderingOrder(fitted.filling.seats);
  const manifest = windowManifest(input, {
    fixed,
    required: charged.required,
    seats,
    filling: fitted.filling,
    excluded: [...selection.excluded, ...fitted.filling.excluded],
    request: fitted.request,
    requestTokens: fitted.tokens,
  });
  return { request: fitted.request, manifest, seated: seats.map((seat) => seat.seated) };
}
