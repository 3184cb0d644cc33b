// The identity of a claim (design S2, S3), and which of two claims of one identity has the better standing.

import type { ClaimIdentity, Memory } from '../../model/memory.ts';
import type { RowScope } from '../../model/scope.ts';
import { canonicalJson } from '../hash.ts';
import { compareRefs, compareText } from './compare.ts';

/** The key under which a claim stands in maps: subject, predicate and conditions as canonical JSON (design S2). */
export function identityKey({ subject, predicate, conditions }: ClaimIdentity): string {
  return canonicalJson([subject, predicate, conditions]);
}

/** The key of a memory's claim; only entities make one (design S2). */
export function claimKeyOf(memory: Memory): string | null {
  return memory.type === 'entity' ? identityKey(memory) : null;
}

/** True for a claim that stands by itself, false for one that was derived from other memories (design S3). */
export function isCanonical(memory: Memory): boolean {
  return memory.trust !== 'derived';
}

/** Better standing first: canonical before derived, then as {@link compareWidth} (design S3). */
export function compareStanding(a: Memory, b: Memory): number {
  return Number(isCanonical(b)) - Number(isCanonical(a)) || compareWidth(a, b);
}

/** Narrower scope first, then later valid_from; ends in the ref (design S2, S3). */
export function compareWidth(a: Memory, b: Memory): number {
  return (
    compareScopes(a.scope, b.scope) ||
    compareText(b.lifecycle.validFrom, a.lifecycle.validFrom) ||
    compareRefs(a.ref, b.ref)
  );
}

/** A set thread decides first, then a set user, then a set agent. */
function compareScopes(a: RowScope, b: RowScope): number {
  return (
    Number(b.threadId !== null) - Number(a.threadId !== null) ||
    Number(b.userId !== null) - Number(a.userId !== null) ||
    Number(b.agentId !== null) - Number(a.agentId !== null)
  );
}
