// What is known of the rows behind two manifests: which are versions of one thing, and what became of each.

import type { RefJson } from '../model/manifest.ts';
import { refKey, type KnownVersion, type Ref } from '../model/memory.ts';
import { rowId } from '../model/ids.ts';

/** A ref of a manifest as the model has it. */
export function refOf([type, id, version]: RefJson): Ref {
  return [type, rowId(id), version];
}

/** The key of a ref in maps. */
export function keyOf(ref: RefJson): string {
  return refKey(refOf(ref));
}

/** The rows that the caller may see now. */
export interface KnownRows {
  readonly version: (ref: RefJson) => KnownVersion | null;
  /** Equal for versions of one claim in one scope, or of one row's line of successors; else of this ref alone. */
  readonly lineage: (ref: RefJson) => string;
}

/** Longest line of successors that is followed. */
const longestLine = 1_000;

/** The rows of these versions. Successors that are not among them end a line. */
export function knownRows(versions: readonly KnownVersion[]): KnownRows {
  const byRef = new Map(versions.map((version) => [refKey(version.ref), version]));
  const byId = new Map(versions.map((version) => [`${version.ref[0]} ${version.ref[1]}`, version]));
  const lineage = (ref: RefJson): string => {
    const version = byRef.get(keyOf(ref));
    if (version === undefined) return keyOf(ref);
    const { identity, scope } = version;
    if (identity !== null) {
      const { subject, predicate, conditions } = identity;
      return JSON.stringify([subject, predicate, conditions, scope.userId, scope.agentId, scope.threadId]);
    }
    let last = version;
    for (let steps = 0; steps < longestLine; steps += 1) {
      const next = last.lifecycle.supersededBy;
      const successor = next === null ? undefined : byId.get(`${last.ref[0]} ${next}`);
      if (successor === undefined) break;
      last = successor;
    }
    return `line ${refKey(last.ref)}`;
  };
  return { version: (ref) => byRef.get(keyOf(ref)) ?? null, lineage };
}
