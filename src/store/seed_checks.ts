// What rows of seed files owe each other (design D1, D7): unique ids, one active row a key, refs that lead somewhere.

import { MemoryError } from '../model/errors.ts';
import { refKey } from '../model/memory.ts';
import type { MemoryLink, ProvenanceEdge, Ref } from '../model/memory.ts';
import { jsonHash } from './content_hash.ts';
import { keyColumns } from './new_rows.ts';
import type { NewRow } from './written_rows.ts';

/** A row with where it stands. */
export interface PlacedRow {
  readonly file: string;
  readonly section: string;
  readonly index: number;
  readonly row: NewRow;
}

function refuse({ file, section, index, row }: PlacedRow, field: string, message: string): never {
  throw new MemoryError('invalid_seed', `${file}: ${section}[${index}] (${row.id}), field ${field}: ${message}`, {
    file,
    section,
    index,
    id: row.id,
    field,
  });
}

/** Refuses an id that two rows of a table have, and two active rows of one key. Throws `invalid_seed`. */
export function checkRows(placed: readonly PlacedRow[]): void {
  const ids = new Set<string>();
  const keys = new Map<string, string>();
  for (const place of placed) {
    const { row } = place;
    const own = [row.id, ...(row.type === 'document' ? row.chunks.map((chunk) => chunk.id) : [])];
    own.forEach((id, chunk) => {
      const key = JSON.stringify([chunk === 0 ? row.type : 'chunk', id]);
      const field = chunk === 0 ? 'id' : `chunks.${chunk - 1}.id`;
      if (ids.has(key)) refuse(place, field, `the id ${id} is there already`);
      ids.add(key);
    });
    if (row.type === 'conversation' || row.type === 'summary' || row.validUntil !== null) continue;
    const key = jsonHash([row.type, keyColumns(row)]);
    const other = keys.get(key);
    if (other !== undefined) refuse(place, 'valid_until', `${other} is another active row of the same key`);
    keys.set(key, row.id);
  }
}

/** Refuses a `superseded_by` and refs of provenance and links that name no row of the set. Throws `invalid_seed`. */
export function checkRefs(
  placed: readonly PlacedRow[],
  files: readonly {
    readonly fileName: string;
    readonly provenance: readonly ProvenanceEdge[];
    readonly links: readonly MemoryLink[];
  }[],
): void {
  const refs = new Set(placed.flatMap(({ row }) => refsOf(row)).map(refKey));
  const ids = new Set(placed.map(({ row }) => JSON.stringify([row.type, row.id])));
  for (const place of placed) {
    const { row } = place;
    const next = 'supersededBy' in row ? row.supersededBy : null;
    if (next !== null && !ids.has(JSON.stringify([row.type, next]))) {
      refuse(place, 'superseded_by', `there is no row ${next}`);
    }
  }
  for (const { fileName, provenance, links } of files) {
    provenance.forEach(({ derived, source }, index) => {
      requireRef(refs, derived, { fileName, section: 'source_refs', index, field: 'derived' });
      requireRef(refs, source, { fileName, section: 'source_refs', index, field: 'source' });
    });
    links.forEach(({ source, target }, index) => {
      requireRef(refs, source, { fileName, section: 'links', index, field: 'source' });
      requireRef(refs, target, { fileName, section: 'links', index, field: 'target' });
    });
  }
}

function refsOf(row: NewRow): readonly Ref[] {
  const version = 'version' in row ? row.version : 1;
  const chunks = row.type === 'document' ? row.chunks.map((chunk): Ref => ['chunk', chunk.id, 1]) : [];
  return [[row.type, row.id, version], ...chunks];
}

function requireRef(
  refs: ReadonlySet<string>,
  ref: Ref,
  at: { readonly fileName: string; readonly section: string; readonly index: number; readonly field: string },
): void {
  if (refs.has(refKey(ref))) return;
  const { fileName, section, index, field } = at;
  throw new MemoryError(
    'invalid_seed',
    `${fileName}: ${section}[${index}], field ${field}: there is no row ${JSON.stringify(ref)}`,
    { file: fileName, section, index, field },
  );
}
