// Replaces the digest of a thread (design C1): one current digest a thread, derived from turns that are all still there.

import { z } from 'zod';
import type { Ref } from '../../model/memory.ts';
import type { Scope } from '../../model/scope.ts';
import { newRowColumns } from '../new_rows.ts';
import { refsParameter } from '../ref_rows.ts';
import { instantOf } from '../rows.ts';
import type { EmbedderIdentity } from '../store.ts';
import { wellFormed } from '../well_formed.ts';
import type { NewThreadDigest } from '../written_rows.ts';
import { writeProvenance, writeTokenCounts } from './derived_writer.ts';
import { writeIndex } from './index_writer.ts';
import { readMemories } from './reader.ts';
import type { Session } from './session.ts';

const activeColumns = z.object({ id: z.string(), is_quarantined: z.boolean() });

/** Writes a digest as {@link Writer.putThreadDigest} says. */
export async function writeDigest(
  session: Session,
  { agentId, threadId }: Scope,
  given: NewThreadDigest,
  embedder: EmbedderIdentity,
): Promise<Ref | null> {
  const row = wellFormed(given.row, '');
  await session.all('lock_thread', agentId, threadId);
  const active = activeColumns.optional().parse((await session.all('active_digest', agentId, threadId))[0]);
  // Nobody is shown a quarantined digest, so nobody can name it as the one to replace.
  const seen = active === undefined || active.is_quarantined ? null : active.id;
  if (seen !== given.replaces) return null;
  await session.all('lock_sources', refsParameter(given.sources));
  const living = await readMemories(session, given.sources, null);
  const isWhole = living.filter(({ lifecycle }) => lifecycle.deletedAt === null && lifecycle.quarantinedAt === null);
  if (isWhole.length < given.sources.length) return null;
  const validFrom = active === undefined ? null : await retired(session, active.id);
  await session.all('insert_summaries', JSON.stringify([newRowColumns({ ...row, validFrom })]));
  await writeIndex(session, given.index, { embedder, freshness: 'inserted' });
  const derived: Ref = ['summary', row.id, 1];
  await writeProvenance(
    session,
    given.sources.map((source) => ({ derived, source, relation: 'derived_from' as const })),
  );
  await writeTokenCounts(session, given.counts);
  return derived;
}

async function retired(session: Session, id: string) {
  return instantOf(z.object({ valid_until: z.string() }).parse(await session.one('retire_digest', id)).valid_until);
}
