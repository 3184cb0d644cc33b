// apply FILE (design 4): a validated upsert of what a person wrote down, by key; ids and versions are ours (D2).

import { canonicalJson, sha256Hex } from '../assembly/hash.ts';
import { MemoryError } from '../model/errors.ts';
import { rowId, type RowId } from '../model/ids.ts';
import { paragraphs } from '../retrieval/paragraphs.ts';
import { parseSeedFile } from '../store/seed_rows.ts';
import type { OperatorWriter } from '../store/store.ts';
import type { NewPersona, NewRow, NewVersionedRow } from '../store/written_rows.ts';
import { indexEntries, placedMemories } from './index_rows.ts';
import type { AppliedRow, OperatorCall } from './manager.ts';
import { checkTools, rowTexts } from './operator_rows.ts';
import type { ManagerParts } from './parts.ts';
import { refuseSecrets } from './secrets.ts';
import { newTokenCounts } from './token_counts.ts';

const sections = ['guidelines', 'persona', 'toolbox', 'entities', 'workflows', 'documents'] as const;
type Section = (typeof sections)[number];

/** Columns that a person does not write: apply makes them. */
const ourColumns = ['id', 'version', 'superseded_by', 'created_at'];

/** Writes every row that changed in one transaction. Throws `invalid_seed`, `secret_refused`, `version_conflict`. */
export async function applyFile(
  parts: ManagerParts,
  call: OperatorCall,
  file: { readonly fileName: string; readonly json: unknown },
): Promise<readonly AppliedRow[]> {
  const rows = await readApplyFile(parts, call, file);
  const options = { requestId: call.requestId, ...(call.signal === undefined ? {} : { signal: call.signal }) };
  const active = await parts.store.operate(call.scope, options, (writer) => activeVersions(writer, rows));
  const changed = rows
    .map((row, place) => ({ row, before: active[place] ?? null }))
    .map(({ row, before }) => ({ row: nextVersion(row, before), before }));
  const placed = placedMemories(
    changed.filter(({ before }) => before?.same !== true).map(({ row }) => row),
    call.scope,
  );
  const index = await indexEntries(await parts.embedder(), placed, (done) => call.onProgress?.(done, 'indexing'));
  const counts = newTokenCounts(
    placed.map(({ memory }) => memory),
    await parts.tokenizer(),
  );
  return parts.store.operate(call.scope, options, async (writer) => {
    const applied: AppliedRow[] = [];
    for (const { row, before } of changed) {
      if (before?.same === true) {
        applied.push({ type: row.type, key: keyOf(row), outcome: 'unchanged', version: before.version });
        continue;
      }
      const ids = new Set<string>(row.type === 'document' ? row.chunks.map(({ id }) => id) : [row.id]);
      const ref =
        row.type === 'persona'
          ? await writer.putPersona(row)
          : await writer.putVersion(
              row,
              before?.version ?? 0,
              index.filter((entry) => ids.has(entry.ref[1])),
            );
      const outcome = before === null ? 'inserted' : 'updated';
      applied.push({ type: row.type, key: keyOf(row), outcome, version: ref[2] });
    }
    await writer.putTokenCounts(counts);
    return applied;
  });
}

/** A person's file as rows, every check passed. Throws `invalid_seed`, `policy_invalid` and `secret_refused`. */
export async function readApplyFile(
  parts: ManagerParts,
  call: OperatorCall,
  file: { readonly fileName: string; readonly json: unknown },
): Promise<readonly AppliedInput[]> {
  const rows = parseApplyFile(parts, call, file);
  checkTools(rows);
  await refuseSecrets(rows.flatMap(rowTexts));
  return rows;
}

type AppliedInput = NewVersionedRow | NewPersona;

interface Before {
  readonly version: number;
  readonly same: boolean;
}

async function activeVersions(
  writer: OperatorWriter,
  rows: readonly AppliedInput[],
): Promise<readonly (Before | null)[]> {
  const found: (Before | null)[] = [];
  for (const row of rows) {
    const active = await writer.activeVersion(row);
    found.push(active === null ? null : { version: active.ref[2], same: active.same });
  }
  return found;
}

/** The row as the next version of its key. */
function nextVersion(row: AppliedInput, before: Before | null): AppliedInput {
  return row.type === 'persona' ? row : { ...row, version: (before?.version ?? 0) + 1 };
}

/** The person's file as rows: the seed's own validation, with ids of ours and documents cut into passages. */
function parseApplyFile(
  parts: ManagerParts,
  call: OperatorCall,
  file: { readonly fileName: string; readonly json: unknown },
): readonly AppliedInput[] {
  const { fileName, json } = file;
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new MemoryError('invalid_seed', `${fileName} must hold a JSON object with lists such as "entities".`, {});
  }
  const given = json as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(given)) {
    if (!sections.some((section) => section === key)) {
      throw new MemoryError('invalid_seed', `${fileName}: "${key}" is not one of ${sections.join(', ')}.`, {
        section: key,
      });
    }
  }
  const seed: Record<string, unknown> = { tenant_id: call.scope.tenantId };
  for (const section of sections) {
    const rows = given[section];
    if (rows === undefined) continue;
    if (!Array.isArray(rows)) {
      throw new MemoryError('invalid_seed', `${fileName}: "${section}" must be a list.`, { section });
    }
    seed[section] = rows.map((row: unknown, place) => seedRow(parts, row, { fileName, section, place }));
  }
  return parseSeedFile(seed, fileName).rows.filter(isApplied);
}

function isApplied(row: NewRow): row is AppliedInput {
  return row.type !== 'conversation' && row.type !== 'summary';
}

function seedRow(
  parts: ManagerParts,
  row: unknown,
  at: { readonly fileName: string; readonly section: Section; readonly place: number },
): unknown {
  const where = `${at.fileName}: ${at.section}[${at.place}]`;
  if (typeof row !== 'object' || row === null || Array.isArray(row)) {
    throw new MemoryError('invalid_seed', `${where} must be an object.`, { section: at.section, index: at.place });
  }
  for (const column of ourColumns) {
    if (column in row) {
      throw new MemoryError('invalid_seed', `${where}: "${column}" is given by the store, leave it out.`, {
        section: at.section,
        index: at.place,
        field: column,
      });
    }
  }
  const id = parts.newId(at.section === 'entities' ? 'entity' : at.section.replace(/s$/, ''));
  const base = { written_by: 'apply', trust: 'stated', ...row, id };
  return at.section === 'documents' ? documentRow(base, id, where) : base;
}

function documentRow(row: Readonly<Record<string, unknown>>, id: RowId, where: string): unknown {
  const { text, ...rest } = row;
  if (typeof text !== 'string' || text.trim() === '') {
    throw new MemoryError('invalid_seed', `${where}: "text" must be a text that is not empty.`, { field: 'text' });
  }
  const chunks = paragraphs(text).map((content, place) => ({ id: rowId(`${id}_c${place}`), content }));
  return { source_type: 'text', ...rest, content_hash: sha256Hex(text), chunks };
}

function keyOf(row: AppliedInput): string {
  switch (row.type) {
    case 'guideline':
    case 'persona':
      return row.key;
    case 'toolbox':
    case 'workflow':
      return row.name;
    case 'entity':
      return [row.subject, row.predicate, ...(row.conditions === null ? [] : [canonicalJson(row.conditions)])].join(
        ' ',
      );
    case 'document':
      return `${row.collection} ${row.sourceUri}`;
    default:
      throw row satisfies never;
  }
}
