// Who searched in this process, and what is kept for each, apart from all others: as far as there is room, and those who did
// not search for the longest go first.

import type { TenantId } from '../../model/ids.ts';
import type { Scope } from '../../model/scope.ts';
import type { Run } from '../statements/entrance.ts';
import type { EmbedderIdentity } from '../store.ts';
import { bytesOf } from './resident_sync.ts';
import type { CopyBounds, ResidentCopy } from './resident_sync.ts';

/** How much is kept. */
export interface ResidentLimits extends CopyBounds {
  /** Bytes of all principals together. */
  readonly bytes: number;
  /** Principals that are known to have searched. */
  readonly principals: number;
}

/** The store by which somebody searches: its way into a transaction, and whose vectors it compares. */
export interface SearchedStore {
  readonly run: Run;
  readonly embedder: EmbedderIdentity;
}

/** One user of one tenant, by one store. */
export interface Principal {
  readonly store: SearchedStore;
  /** As of the last search; what can be seen depends on tenant and user alone. */
  scope: Scope;
  /** Since it was loaded last, and how many there must be before it is loaded. */
  searches: number;
  patience: number;
  /** True: it is to be loaded when nobody is in a transaction. */
  isWanted: boolean;
  /** What answers; null: nothing. */
  copy: ResidentCopy | null;
  /** What is being read; null: nothing, or it is not wanted any more. */
  loading: ResidentCopy | null;
  /** The change of the store before which it is not to be loaded. */
  notBefore: number;
}

/** Everybody who searched, as far as they are known. */
export interface Principals {
  /** Whose search this is, as the one who searched last. */
  searching(scope: Scope, store: SearchedStore): Principal;
  /** Somebody who is to be loaded, or undefined. */
  wanted(): Principal | undefined;
  /** Drops what others keep until all of it fits, and then this principal's own. False: it alone is too large. */
  makeRoom(principal: Principal): boolean;
  /** Forgets all of a tenant (null: everybody). */
  forget(tenantId: TenantId | null): void;
}

// One search may be all that a process is asked for.
const firstPatience = 2;

/** Nobody yet. */
export function createPrincipals(limits: ResidentLimits): Principals {
  // In the order of their last searches.
  const known = new Map<string, Principal>();
  const forgetOne = (key: string, principal: Principal): void => {
    known.delete(key);
    drop(principal);
    principal.isWanted = false;
  };
  return {
    searching(scope, store) {
      const key = keyOf(scope, store);
      const principal = known.get(key) ?? newPrincipal(scope, store);
      known.delete(key);
      known.set(key, principal);
      for (const [oldest, other] of known) {
        if (known.size <= limits.principals) break;
        forgetOne(oldest, other);
      }
      principal.scope = scope;
      return principal;
    },
    wanted: () => [...known.values()].find(({ isWanted }) => isWanted),
    makeRoom(principal) {
      let bytes = [...known.values()].reduce((sum, other) => sum + keptBytes(other), 0);
      for (const other of known.values()) {
        if (bytes <= limits.bytes) break;
        if (other === principal) continue;
        bytes -= keptBytes(other);
        drop(other);
      }
      if (bytes > limits.bytes) drop(principal);
      return bytes <= limits.bytes;
    },
    forget(tenantId) {
      for (const [key, principal] of known) {
        if (tenantId === null || principal.scope.tenantId === tenantId) forgetOne(key, principal);
      }
    },
  };
}

/** Nothing is kept for somebody any more; it may be loaded again. */
export function drop(principal: Principal): void {
  principal.copy = null;
  principal.loading = null;
}

/** As JSON, no two lists of names are one text. */
function keyOf({ tenantId, userId }: Scope, { embedder }: SearchedStore): string {
  return JSON.stringify([embedder.id, embedder.dimensions, tenantId, userId]);
}

function newPrincipal(scope: Scope, store: SearchedStore): Principal {
  return {
    store,
    scope,
    searches: 0,
    patience: firstPatience,
    isWanted: false,
    copy: null,
    loading: null,
    notBefore: 0,
  };
}

function keptBytes({ copy, loading }: Principal): number {
  return (copy === null ? 0 : bytesOf(copy)) + (loading === null ? 0 : bytesOf(loading));
}
