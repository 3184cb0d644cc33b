// What an erasure must take, worked out once more from a dump of all rows: slowly, and without the database.

import type { ErasureTarget } from '../../src/store/erasure.ts';
import type { Dump } from '../store/dump.ts';

type Row = Readonly<Record<string, unknown>>;

/** Tables of what has an id, by the type that refs name. */
export const tableOf = {
  guideline: 'guideline_memory',
  persona: 'persona_memory',
  toolbox: 'toolbox_memory',
  entity: 'entity_memory',
  workflow: 'workflow_memory',
  summary: 'summarization_memory',
  conversation: 'conversation_memory',
  document: 'knowledge_base_document',
  chunk: 'knowledge_base_chunk',
  compression: 'context_compression',
} as const;

interface Item {
  readonly key: string;
  readonly type: string;
  readonly row: Row;
}

const exchange = new Set(['context_manifest', 'request', 'tool_call', 'tool_result']);
const windowParts = new Set(['context_manifest', 'request', 'tool_result', 'retrieval']);
const turns = new Set(['user_msg', 'model_msg']);
const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** Rows by table whose absence is owed after the erasure, as the dump wrote them: of the tables that have ids. */
export function owed(before: Dump, tenant: string, target: ErasureTarget): ReadonlyMap<string, readonly string[]> {
  const items = itemsOf(before, tenant);
  const sourcesOf = provenanceOf(before, tenant);
  const gone = new Set(items.filter((item) => isNamed(item, target, items)).map(({ key }) => key));
  for (let size = -1; size !== gone.size; ) {
    size = gone.size;
    const events = items.filter(({ key, type }) => type === 'conversation' && gone.has(key)).map(({ row }) => row);
    const manifests = new Set(
      events.filter((row) => windowParts.has(String(row['event_type']))).map((row) => row['manifest_id']),
    );
    const firstOfRun = new Map<unknown, number>();
    for (const row of events.filter((event) => exchange.has(String(event['event_type'])))) {
      const order = Number(row['event_order']);
      firstOfRun.set(row['run_id'], Math.min(order, firstOfRun.get(row['run_id']) ?? order));
    }
    for (const item of items) {
      const { key, type, row } = item;
      const comesOf =
        (sourcesOf.get(key) ?? []).some((source) => gone.has(source)) ||
        gone.has(`conversation ${String(row['source_event_id'])}`) ||
        (type === 'compression' && gone.has(`${String(row['source_type'])} ${String(row['source_id'])}`)) ||
        (type === 'chunk' && gone.has(`document ${String(row['document_id'])}`)) ||
        (type === 'entity' && gone.has(`document ${String(field(row['content_json'], 'source_document_id'))}`)) ||
        (type === 'conversation' && (hasManifest(row, manifests) || follows(row, { firstOfRun, events })));
      if (comesOf) gone.add(key);
    }
  }
  const byTable = new Map<string, string[]>();
  for (const { key, type, row } of items) {
    if (!gone.has(key)) continue;
    const table = tableOf[type as keyof typeof tableOf];
    byTable.set(table, [...(byTable.get(table) ?? []), JSON.stringify(row)]);
  }
  return byTable;
}

/** Tables with ids, as the dump has them and in the form of {@link owed}. */
export function withIds(dump: Dump): ReadonlyMap<string, readonly string[]> {
  const tables = new Set<string>(Object.values(tableOf));
  return new Map(
    [...dump].flatMap(([name, rows]) =>
      tables.has(name) ? [[name, rows.map((row) => JSON.stringify(JSON.parse(row)))] as const] : [],
    ),
  );
}

function itemsOf(dump: Dump, tenant: string): readonly Item[] {
  return Object.entries(tableOf).flatMap(([type, table]) =>
    (dump.get(table) ?? [])
      .map((text): Row => JSON.parse(text))
      .filter((row) => row['tenant_id'] === tenant && row['event_type'] !== 'tombstone')
      .map((row) => ({ key: `${type} ${String(row['event_id'] ?? row['id'])}`, type, row })),
  );
}

function provenanceOf(dump: Dump, tenant: string): ReadonlyMap<string, readonly string[]> {
  const sources = new Map<string, string[]>();
  for (const text of dump.get('context_source_ref') ?? []) {
    const row: Row = JSON.parse(text);
    if (row['tenant_id'] !== tenant) continue;
    const derived = `${String(row['derived_type'])} ${String(row['derived_id'])}`;
    sources.set(derived, [
      ...(sources.get(derived) ?? []),
      `${String(row['source_type'])} ${String(row['source_id'])}`,
    ]);
  }
  return sources;
}

function isNamed({ key, type, row }: Item, target: ErasureTarget, items: readonly Item[]): boolean {
  switch (target.kind) {
    case 'tenant':
      return true;
    case 'user':
      return row['user_id'] === target.userId;
    case 'thread':
      return (
        row['user_id'] === target.userId &&
        row['thread_id'] === target.threadId &&
        (target.agentId === null || row['agent_id'] === target.agentId)
      );
    case 'event':
      return key === `conversation ${target.id}`;
    case 'document': {
      const named = items.find((item) => item.key === `document ${target.id}`);
      const columns = ['collection', 'source_uri', 'user_id', 'agent_id'];
      return type === 'document' && named !== undefined && columns.every((name) => row[name] === named.row[name]);
    }
    default:
      throw target satisfies never;
  }
}

const hasManifest = (row: Row, manifests: ReadonlySet<unknown>): boolean =>
  typeof row['manifest_id'] === 'string' && manifests.has(row['manifest_id']);

function follows(
  row: Row,
  { firstOfRun, events }: { readonly firstOfRun: ReadonlyMap<unknown, number>; readonly events: readonly Row[] },
): boolean {
  const first = typeof row['run_id'] === 'string' ? firstOfRun.get(row['run_id']) : undefined;
  if (first === undefined || turns.has(String(row['event_type']))) return false;
  if (Number(row['event_order']) > first) return true;
  return (
    row['event_type'] === 'tool_call' &&
    events.some(
      (event) =>
        event['event_type'] === 'tool_result' &&
        event['run_id'] === row['run_id'] &&
        field(event['payload'], 'call_id') === field(row['payload'], 'call_id'),
    )
  );
}
