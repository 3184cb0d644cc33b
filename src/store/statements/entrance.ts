// How a call of the store enters its transaction: who it is for, which a dialect turns into rights and a trusted context.

import type { OperatorScope, Scope } from '../../model/scope.ts';
import type { CallOptions, EmbedderIdentity } from '../store.ts';
import type { Residents } from './resident_port.ts';
import type { DatabaseRow, Session } from './session.ts';

/**
 * Whose transaction it is, which decides its rights and its trusted context. `read` and `inspect` see one snapshot;
 * `erase` alone holds the tenant's lock; `nobody` has no context, and does what the database's own functions let it do.
 */
export type Entrance =
  | { readonly as: 'read' | 'write'; readonly scope: Scope }
  | { readonly as: 'inspect' | 'operate' | 'erase'; readonly scope: OperatorScope }
  | { readonly as: 'nobody' };

/** Runs one bracketed transaction; `entered` is what the database said when the context was set, for a snapshot its position. */
export type Run = <T>(
  entrance: Entrance,
  call: CallOptions,
  work: (session: Session, entered: DatabaseRow) => Promise<T>,
) => Promise<T>;

/** What the calls are made with. */
export interface StoreParts {
  readonly run: Run;
  readonly mode: string;
  readonly embedder: EmbedderIdentity;
  /** True: `vectors_approximate` is a statement of the dialect, and an index serves it. */
  readonly hasVectorIndex: boolean;
  /** What searches read is kept in this process, too; null where another one may write it. */
  readonly residents: Residents | null;
  /** Writes the database's files anew, and says whether it did; null where they are not the engine's own. */
  readonly rewriteFiles: ((call: CallOptions) => Promise<boolean>) | null;
}
