// What searches ask first where an engine is the only one to write its database: what of it is kept in this process.

import type { TenantId } from '../../model/ids.ts';
import type { LexicalResult, SearchFilter, VectorHit, VectorPart } from '../search_values.ts';
import type { SearchContext } from './search.ts';
import type { Session } from './session.ts';

/** The searches of one read transaction. Null: nothing is kept that could answer, and the statements are to be asked. */
export interface ResidentSearches {
  searchLexical(terms: readonly string[], filter: SearchFilter): Promise<LexicalResult | null>;
  /** Throws `embedder_mismatch` where the store's embedder was changed meanwhile. */
  searchVector(vector: Float32Array, part: VectorPart, filter: SearchFilter): Promise<readonly VectorHit[] | null>;
}

/** What one store keeps of its principals' memories, each in the extent in which that principal can see it. */
export interface Residents {
  /** Searches over a session whose snapshot and context are set: they answer what the statements would. */
  searches(session: Session, context: SearchContext): ResidentSearches;
  /** Begins to load in the background what was searched often enough. Waits for nothing; not to be called within a transaction. */
  load(): void;
  /** Forgets what is kept of a tenant (null: of all), so that nothing of what was erased stays in the process. */
  forget(tenantId: TenantId | null): void;
}
