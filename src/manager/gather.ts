// Brings the rows of a window or tool result: what retrieval ranked, and by key all that the rules must see beside it.

import { rendererVersion } from '../assembly/version.ts';
import type { OptionalSlice } from '../model/budget.ts';
import type { CachedTokens, Compression, LinkedFrom } from '../model/candidate.ts';
import {
  refKey,
  type ClaimIdentity,
  type KnownVersion,
  type Memory,
  type MemoryLink,
  type ProvenanceEdge,
  type Ref,
} from '../model/memory.ts';
import type { SnapshotReader } from '../store/store.ts';
import { encoding } from './token_counts.ts';

/** A row that retrieval or the caller asked for, and the slice it competes in (null: a tool result). */
export interface Wanted {
  readonly ref: Ref;
  readonly slice: OptionalSlice | null;
  /** Scaled to 0..1 within its slice's candidates. */
  readonly fused: number;
}

/** A row with the slice it competes in. */
export interface GatheredRow {
  readonly memory: Memory;
  readonly slice: OptionalSlice | null;
  readonly fused: number;
  readonly linkedFrom: LinkedFrom | null;
}

/** All that was read of one window or result, as values. */
export interface Gathered {
  readonly rows: readonly GatheredRow[];
  /** So many of `rows` were sought or linked; the others came along as versions of the same claims. */
  readonly sought: number;
  readonly provenance: readonly ProvenanceEdge[];
  readonly versions: readonly KnownVersion[];
  readonly links: readonly MemoryLink[];
  /** All that are stored of each row, by its key: {@link usableCompression} says which counts. */
  readonly compressions: ReadonlyMap<string, readonly Compression[]>;
  readonly cached: ReadonlyMap<string, CachedTokens>;
}

/** How many linked memories one window may bring (design Q7). */
const maxLinked = 20;

/**
 * Reads the wanted rows, every version of each claim they touch, the current fact of each stale provenance, and
 * links up to `hops`. Rows that are gone or out of scope are simply absent. Order: as wanted, then companions by id.
 */
export async function gather(
  reader: SnapshotReader,
  wanted: readonly Wanted[],
  options: { readonly read: readonly GatheredRow[]; readonly companions: OptionalSlice; readonly hops: number },
): Promise<Gathered> {
  const rows = new Map<string, GatheredRow>(options.read.map((row) => [refKey(row.memory.ref), row]));
  await addWanted(reader, rows, wanted);
  const links = await followLinks(reader, rows, options.hops);
  const provenance = await reader.provenance([...rows.values()].map(({ memory }) => memory.ref));
  const versions = await reader.versions(sourcesBeyond(provenance, rows));
  const sought = rows.size;
  await addVersions(reader, rows, { versions, slice: options.companions });
  const refs = [...rows.values()].map(({ memory }) => memory.ref);
  const compressions = await reader.compressions(refs);
  return {
    rows: [...rows.values()],
    sought,
    provenance,
    versions,
    links,
    compressions: bySource(compressions),
    cached: await reader.tokenCounts(refs, { rendererVersion, encoding }),
  };
}

function bySource(compressions: readonly Compression[]): ReadonlyMap<string, readonly Compression[]> {
  const found = new Map<string, Compression[]>();
  for (const compression of compressions) {
    const key = refKey(compression.source);
    found.set(key, [...(found.get(key) ?? []), compression]);
  }
  return found;
}

async function addWanted(
  reader: SnapshotReader,
  rows: Map<string, GatheredRow>,
  wanted: readonly Wanted[],
): Promise<void> {
  const missing = wanted.filter(({ ref }) => !rows.has(refKey(ref)));
  const found = new Map((await reader.memories(missing.map(({ ref }) => ref))).map((row) => [refKey(row.ref), row]));
  for (const { ref, slice, fused } of missing) {
    const memory = found.get(refKey(ref));
    if (memory !== undefined) rows.set(refKey(ref), { memory, slice, fused, linkedFrom: null });
  }
}

/** Links of all rows are brought, since contradictions are shown; linked rows only as far as the policy says. */
async function followLinks(
  reader: SnapshotReader,
  rows: Map<string, GatheredRow>,
  hops: number,
): Promise<readonly MemoryLink[]> {
  const all = new Map<string, MemoryLink>();
  let frontier: readonly Ref[] = [...rows.values()].map(({ memory }) => memory.ref);
  for (let hop = 0; frontier.length > 0; hop += 1) {
    const links = await reader.links(frontier);
    for (const link of links) all.set(`${refKey(link.source)}|${refKey(link.target)}|${link.relation}`, link);
    if (hop >= hops) break;
    frontier = await addLinked(reader, rows, links);
  }
  return [...all.values()];
}

async function addLinked(
  reader: SnapshotReader,
  rows: Map<string, GatheredRow>,
  links: readonly MemoryLink[],
): Promise<readonly Ref[]> {
  const linked = links.flatMap((link): readonly { ref: Ref; from: LinkedFrom }[] => [
    { ref: link.target, from: { ref: link.source, relation: link.relation, direction: 'outgoing' } },
    { ref: link.source, from: { ref: link.target, relation: link.relation, direction: 'incoming' } },
  ]);
  const known = [...rows.values()].filter(({ linkedFrom }) => linkedFrom !== null).length;
  const fresh = linked
    .filter(({ ref, from }) => !rows.has(refKey(ref)) && rows.has(refKey(from.ref)))
    .slice(0, Math.max(0, maxLinked - known));
  const found = new Map((await reader.memories(fresh.map(({ ref }) => ref))).map((row) => [refKey(row.ref), row]));
  for (const { ref, from } of fresh) {
    const memory = found.get(refKey(ref));
    const origin = rows.get(refKey(from.ref));
    if (memory === undefined || origin === undefined) continue;
    const slice = origin.slice === null ? null : sliceOf(memory);
    rows.set(refKey(ref), { memory, slice, fused: 0, linkedFrom: from });
  }
  return fresh.map(({ ref }) => ref).filter((ref) => rows.has(refKey(ref)));
}

/** The slice that a type competes in (design Q10); turns of the current thread are brought as the tail instead. */
function sliceOf(memory: Memory): OptionalSlice {
  switch (memory.type) {
    case 'entity':
    case 'workflow':
      return 'durable_facts';
    case 'chunk':
      return 'evidence';
    case 'summary':
    case 'conversation':
      return 'recalled_history';
    default:
      throw memory satisfies never;
  }
}

/** The sources that provenance leads to and that are not among the rows, whose keys these are. */
export function sourcesBeyond(
  provenance: readonly ProvenanceEdge[],
  rows: { has(key: string): boolean },
): readonly Ref[] {
  const sources = new Map(provenance.map(({ source }) => [refKey(source), source]));
  return [...sources.values()].filter((ref) => !rows.has(refKey(ref)));
}

/** Every version of each claim that a row is or came from: superseded ones explain history, the current one corrects it. */
async function addVersions(
  reader: SnapshotReader,
  rows: Map<string, GatheredRow>,
  found: { readonly versions: readonly KnownVersion[]; readonly slice: OptionalSlice },
): Promise<void> {
  const identities: ClaimIdentity[] = [];
  for (const { memory } of rows.values()) {
    if (memory.type !== 'entity') continue;
    identities.push({ subject: memory.subject, predicate: memory.predicate, conditions: memory.conditions });
  }
  for (const { identity } of found.versions) if (identity !== null) identities.push(identity);
  for (const entity of await reader.entityVersions(identities)) {
    const key = refKey(entity.ref);
    if (!rows.has(key)) rows.set(key, { memory: entity, slice: found.slice, fused: 0, linkedFrom: null });
  }
}
