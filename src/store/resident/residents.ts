// Searches from memory: who searches again is loaded in the background, and then answered from a copy that is brought up to
// date first, in the search's own transaction. Where there is none, or it cannot be, the statements answer.

import { requireUnchangedEmbedder } from '../migrate.ts';
import type { Residents, ResidentSearches } from '../statements/resident_port.ts';
import { isZero } from '../statements/search.ts';
import type { SearchContext } from '../statements/search.ts';
import type { Session } from '../statements/session.ts';
import { readPresent } from './index_reads.ts';
import type { Present } from './index_reads.ts';
import { nearestVectors } from './nearest.ts';
import { createPrincipals, drop } from './principals.ts';
import type { Principal, Principals, ResidentLimits, SearchedStore } from './principals.ts';
import { catchUp, createCopy, loadPage } from './resident_sync.ts';
import type { PageOutcome, ResidentCopy } from './resident_sync.ts';

/** When loading begins: with a principal's second search, beside it; or with the first, which waits for it. */
export type ResidentManner = 'usual' | 'eager';

/** What all stores over one database keep. */
export interface SharedResidents {
  of(store: SearchedStore): Residents;
  /** Ends a loading that is under way, and forgets everybody. */
  close(): Promise<void>;
}

/** What a process has room for that serves one person or a team. */
export const usualLimits: ResidentLimits = {
  rows: 200_000,
  vectorBytes: 32 * 2 ** 20,
  bytes: 192 * 2 ** 20,
  principals: 1_000,
};

// A load is to pay for itself: the next one of the same principal waits for twice as many searches, up to a number.
const mostPatience = 64;
// Statements that write index rows, of whatever tenant, until somebody who did not fit is looked at again.
const changesUntilRetry = 1_000;
// A copy in which more places are dead is read anew.
const mostWaste = 0.3;

/** How it is done for everybody. */
interface Manner {
  readonly principals: Principals;
  readonly limits: ResidentLimits;
  readonly isEager: boolean;
}

/** Nobody's memories yet. */
export function createResidents(
  manner: ResidentManner = 'usual',
  limits: ResidentLimits = usualLimits,
): SharedResidents {
  const principals = createPrincipals(limits);
  const given: Manner = { principals, limits, isEager: manner === 'eager' };
  const closing = new AbortController();
  let working: Promise<void> | null = null;

  const loadAll = async (): Promise<void> => {
    for (let next = principals.wanted(); next !== undefined; next = principals.wanted()) {
      await loadBeside(next, given, closing.signal);
    }
  };

  return {
    of: (store) => ({
      searches: (session, context) => {
        let asked: ReturnType<typeof copyOf> | null = null;
        return searchesOf(
          session,
          context,
          () => (asked ??= copyOf(principals.searching(context.scope, store), session, given)),
        );
      },
      load() {
        if (closing.signal.aborted || principals.wanted() === undefined) return;
        working ??= loadAll().finally(() => {
          working = null;
        });
      },
      forget: (tenantId) => principals.forget(tenantId),
    }),
    async close() {
      closing.abort();
      principals.forget(null);
      await working;
    },
  };
}

/** A copy that is as true as its transaction's snapshot. */
interface TrueCopy {
  readonly copy: ResidentCopy;
  readonly present: Present;
}

function searchesOf(session: Session, context: SearchContext, ask: () => Promise<TrueCopy | null>): ResidentSearches {
  return {
    async searchLexical(terms, filter) {
      const found = await ask();
      return found === null ? null : found.copy.index.searchLexical(terms, filter, context);
    },
    async searchVector(vector, part, filter) {
      if (filter.limit <= 0 || isZero(vector)) return [];
      const found = await ask();
      if (found === null) return null;
      requireUnchangedEmbedder(found.present.embedder, context.embedder);
      return await nearestVectors(session, found.copy, context, { vector, part, filter });
    },
  };
}

/** The principal's copy, brought up to date; null: there is none, or it was of no use any more. */
async function copyOf(principal: Principal, session: Session, manner: Manner): Promise<TrueCopy | null> {
  principal.searches += 1;
  const { copy } = principal;
  const isDue = isToLoad(principal, manner);
  if (copy === null && !isDue) return null;
  const present = await readPresent(session);
  if (copy !== null) {
    if (copy.known?.change === present.change || (await catchUp(session, copy, present))) {
      principal.isWanted ||= isDue && copy.index.waste > mostWaste;
      const fits = copy.index.rows <= manner.limits.rows && manner.principals.makeRoom(principal);
      if (!fits) refuse(principal, copy);
      return { copy, present };
    }
    principal.copy = null;
  }
  if (!isDue || present.change < principal.notBefore) return null;
  if (manner.isEager) return await loadWithin(principal, session, manner);
  principal.isWanted = true;
  return null;
}

/** True where another load would be worth its while, and none is under way. */
function isToLoad({ searches, patience, loading }: Principal, { isEager }: Manner): boolean {
  return isEager || (loading === null && searches >= patience);
}

function begin(principal: Principal, { limits }: Manner): ResidentCopy {
  const copy = createCopy(principal.store.embedder, limits);
  principal.loading = copy;
  principal.isWanted = false;
  principal.searches = 0;
  principal.patience = Math.min(mostPatience, 2 * principal.patience);
  return copy;
}

/** Reads everything in the transaction of a search. */
async function loadWithin(principal: Principal, session: Session, manner: Manner): Promise<TrueCopy | null> {
  const copy = begin(principal, manner);
  for (;;) {
    const outcome = await loadPage(session, copy, manner.limits);
    if (outcome !== 'more') settle(principal, copy, outcome);
    if (!manner.principals.makeRoom(principal)) refuse(principal, copy);
    if (outcome === 'more' && principal.loading === copy) continue;
    return principal.copy === copy && copy.known !== null ? { copy, present: copy.known } : null;
  }
}

/** Reads page after page, each in a transaction of its own, so that others get in between. */
async function loadBeside(principal: Principal, manner: Manner, signal: AbortSignal): Promise<void> {
  const copy = begin(principal, manner);
  const call = { requestId: 'resident_index', signal };
  // Whoever is forgotten, or has to make room, is not read to the end.
  while (principal.loading === copy) {
    try {
      // The engine works in this thread and ends in a promise: without this, nobody else would get a turn between pages.
      await turnOfOthers();
      const { store, scope } = principal;
      const outcome = await store.run({ as: 'read', scope }, call, (session) => loadPage(session, copy, manner.limits));
      if (principal.loading !== copy) return;
      if (outcome !== 'more') settle(principal, copy, outcome);
      if (!manner.principals.makeRoom(principal)) refuse(principal, copy);
    } catch {
      // The transaction has told the log; the statements go on answering.
      if (principal.loading === copy) refuse(principal, copy);
    }
  }
}

function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function settle(principal: Principal, copy: ResidentCopy, outcome: Exclude<PageOutcome, 'more'>): void {
  switch (outcome) {
    case 'whole':
      principal.copy = copy;
      principal.loading = null;
      return;
    case 'overtaken':
      // The next search asks for it again.
      principal.loading = null;
      return;
    case 'too_large':
    case 'unfit':
      refuse(principal, copy);
      return;
    default:
      throw outcome satisfies never;
  }
}

function refuse(principal: Principal, copy: ResidentCopy): void {
  drop(principal);
  principal.notBefore = copy.known === null ? Number.POSITIVE_INFINITY : copy.known.change + changesUntilRetry;
}
