// The rules of visibility as simply as they can be said, and a generated world to hold the server against them.

import fc from 'fast-check';
import { rowId } from '../../src/model/ids.ts';
import type { Ref } from '../../src/model/memory.ts';

/** Tenants whose names are prefixes, patterns, other cases and look-alikes of each other; `a%_e` is LIKE `acme`. */
export const tenants = ['acme', 'acme-corp', 'Acme', 'a%_e', 'ácme'] as const;
/** Users that every tenant has; each is a prefix, a pattern or another spelling of the next. */
export const users = ['jan', 'jane', 'jane.doe', 'JANE', 'j_ne'] as const;
export const agents = ['bot', 'bot-2', 'b%t'] as const;
export const threads = ['main', 'main-2', 'default'] as const;
export const roles = ['admin', 'adm'] as const;

/** Who asks. */
export interface Principal {
  readonly tenant: string;
  readonly user: string;
  readonly agent: string | null;
  readonly thread: string;
  readonly roles: readonly string[];
}

export type RowType =
  | 'guideline'
  | 'persona'
  | 'toolbox'
  | 'entity'
  | 'workflow'
  | 'summary'
  | 'conversation'
  | 'chunk';

/** A row of the world: `canary` is a word that stands in its texts and nowhere else. */
export interface WorldRow {
  readonly type: RowType;
  readonly id: string;
  readonly version: number;
  readonly tenant: string;
  readonly user: string | null;
  readonly agent: string | null;
  readonly thread: string | null;
  readonly canary: string;
  /** `hidden` rows are expired, not yet effective or quarantined: no surface shows them to anybody. */
  readonly state: 'current' | 'superseded' | 'hidden';
  /** What it competes for: of one key (of an entity: its claim) the narrowest visible row counts. */
  readonly key: string;
  /** Of an entity. */
  readonly claim: Claim | null;
  /** Of a tool. */
  readonly policy: Policy;
}

export interface Claim {
  readonly subject: string;
  readonly predicate: string;
  readonly conditions: Readonly<Record<string, string>> | null;
}

export interface Policy {
  readonly roles?: readonly string[];
  readonly users?: readonly string[];
  readonly agents?: readonly string[];
}

/** The whole rule: tenant equal; user, agent and thread null or equal; own turns and summaries of any thread. */
export function isVisible(row: WorldRow, who: Principal): boolean {
  return (
    isVisibleInSomeThread(row, who) && (row.thread === null || row.thread === who.thread || isOwnHistory(row, who))
  );
}

/** What may stand in a stored manifest of this principal, which shows what was seen in the thread that it was made in. */
export function isVisibleInSomeThread(row: WorldRow, who: Principal): boolean {
  return (
    row.tenant === who.tenant &&
    (row.user === null || row.user === who.user) &&
    (row.agent === null || row.agent === who.agent)
  );
}

function isOwnHistory(row: WorldRow, who: Principal): boolean {
  return (row.type === 'conversation' || row.type === 'summary') && row.user === who.user;
}

/** Threads are part of a call, not of who owns a manifest. */
export function isSamePrincipal(a: Principal, b: Principal): boolean {
  return a.tenant === b.tenant && a.user === b.user && a.agent === b.agent;
}

/** Current rows of a type that this principal sees, the narrowest of each key alone: thread, then user, then agent. */
export function effective(rows: readonly WorldRow[], type: RowType, who: Principal): readonly WorldRow[] {
  const winners = new Map<string, WorldRow>();
  for (const row of rows) {
    if (row.type !== type || row.state !== 'current' || !isVisible(row, who)) continue;
    const known = winners.get(row.key);
    if (known === undefined || narrowness(row) > narrowness(known)) winners.set(row.key, row);
  }
  return [...winners.values()];
}

function narrowness({ thread, user, agent }: WorldRow): number {
  return (thread === null ? 0 : 4) + (user === null ? 0 : 2) + (agent === null ? 0 : 1);
}

/** Each list present must match one. */
export function isAdmitted({ policy }: WorldRow, who: Principal): boolean {
  return (
    (policy.roles === undefined || policy.roles.some((role) => who.roles.includes(role))) &&
    (policy.users === undefined || policy.users.includes(who.user)) &&
    (policy.agents === undefined || (who.agent !== null && policy.agents.includes(who.agent)))
  );
}

/** Rows, and the seed files that bring them. */
export interface World {
  readonly rows: readonly WorldRow[];
  readonly files: readonly { readonly name: string; readonly json: object }[];
  /** To be quarantined after the seeds are in: no seed brings a quarantined row. */
  readonly quarantined: readonly { readonly tenant: string; readonly ref: Ref }[];
}

interface Draft {
  readonly type: RowType;
  readonly user: string | null;
  readonly agent: string | null;
  readonly thread: string | null;
  readonly topic: string;
  readonly variant: number;
  readonly fate: 'current' | 'versioned' | 'expired' | 'future' | 'quarantined';
  readonly policy: Policy;
  /** Picks a row that it is derived from or contradicts, whoever may see that one. */
  readonly other: number;
}

const topics = ['latency', 'refunds', 'backups'] as const;
const orNull = <Value>(values: readonly Value[]) => fc.oneof(fc.constant(null), fc.constantFrom(...values));

const draft: fc.Arbitrary<Draft> = fc.record({
  type: fc.constantFrom<RowType[]>(
    'guideline',
    'persona',
    'toolbox',
    'entity',
    'entity',
    'entity',
    'workflow',
    'summary',
    'summary',
    'conversation',
    'conversation',
    'chunk',
    'chunk',
  ),
  user: orNull(users),
  agent: orNull(agents),
  thread: orNull(threads),
  topic: fc.constantFrom(...topics),
  variant: fc.nat(2),
  fate: fc.constantFrom<Draft['fate'][]>(
    'current',
    'current',
    'current',
    'versioned',
    'expired',
    'future',
    'quarantined',
  ),
  policy: fc.constantFrom<Policy[]>({}, { roles: ['admin'] }, { users: ['jane'] }, { agents: ['bot'] }),
  other: fc.nat(1000),
});

/** A world of five tenants whose rows have the same ids. */
export const worlds: fc.Arbitrary<World> = fc
  .tuple(...tenants.map(() => fc.array(draft, { minLength: 70, maxLength: 90 })))
  .map((drafts) => {
    const tenantWorlds = drafts.map((rows, place) => tenantWorld(tenants[place] ?? 'acme', place, rows));
    return {
      rows: tenantWorlds.flatMap(({ rows }) => rows),
      files: tenantWorlds.flatMap(({ files }) => files),
      quarantined: tenantWorlds.flatMap(({ quarantined }) => quarantined),
    };
  });

const letters = 'abcdefghijklmnop';

/** Ten letters; `zq` stands at the front of each alone, so that no canary is part of another or of two side by side. */
function canaryOf(tenantPlace: number, count: number): string {
  const digits = (tenantPlace * 4096 + count).toString(16).padStart(8, '0');
  return `zq${digits.replace(/./g, (digit) => letters[Number.parseInt(digit, 16)] ?? 'a')}`;
}

const began = '2020-01-01T00:00:00.000000Z';
const ended = '2020-06-01T00:00:00.000000Z';
const future = '2999-01-01T00:00:00.000000Z';

type Section = 'guidelines' | 'persona' | 'toolbox' | 'entities' | 'workflows' | 'summaries' | 'turns' | 'documents';

const sectionOf: Readonly<Record<RowType, Section>> = {
  guideline: 'guidelines',
  persona: 'persona',
  toolbox: 'toolbox',
  entity: 'entities',
  workflow: 'workflows',
  summary: 'summaries',
  conversation: 'turns',
  chunk: 'documents',
};

function tenantWorld(tenant: string, place: number, drafts: readonly Draft[]): World {
  const sections: Record<Section, object[]> = {
    guidelines: [budget],
    persona: [],
    toolbox: [...baseTools],
    entities: [],
    workflows: [],
    summaries: [],
    turns: [],
    documents: [],
  };
  const rows: WorldRow[] = [];
  const quarantined: { tenant: string; ref: Ref }[] = [];
  const taken = new Set<string>();
  const counts = new Map<RowType, number>();
  for (const [count, wish] of drafts.entries()) {
    const nth = counts.get(wish.type) ?? 0;
    const made = rowsOf(wish, { tenant, place, count, id: `${wish.type}_${nth}` });
    // One active row for each key and scope (D1): a draft whose place is taken is dropped.
    const slot = JSON.stringify([wish.type, made[0]?.key, made[0]?.user, made[0]?.agent, made[0]?.thread]);
    if (taken.has(slot)) continue;
    taken.add(slot);
    counts.set(wish.type, nth + 1);
    for (const row of made) {
      rows.push(row);
      sections[sectionOf[row.type]].push(jsonOf(row, wish, rows.length));
      if (wish.fate === 'quarantined') quarantined.push({ tenant, ref: refOf(row) });
    }
  }
  const file = { tenant_id: tenant, ...sections, ...relations(rows, drafts) };
  return { rows, files: [{ name: `${place}.json`, json: file }], quarantined };
}

/** How the row is named in refs. */
export function refOf({ type, id, version }: WorldRow): Ref {
  return [type, rowId(id), version];
}

/** The rows of one draft: an entity with versions has two, a superseded one and the current one. */
function rowsOf(
  wish: Draft,
  at: { readonly tenant: string; readonly place: number; readonly count: number; readonly id: string },
): readonly WorldRow[] {
  const { type, fate } = wish;
  const [first, last] = [canaryOf(at.place, at.count * 2), canaryOf(at.place, at.count * 2 + 1)];
  const hasVersions = type === 'entity' && fate === 'versioned';
  // What a claim is about belongs to its newest version as well.
  const claim = type === 'entity' ? claimOf(wish, hasVersions ? last : first) : null;
  // A turn has neither an end nor a beginning of its own, and always an owner and a thread.
  const hides = fate === 'quarantined' || (type !== 'conversation' && (fate === 'expired' || fate === 'future'));
  const row: WorldRow = {
    type,
    id: at.id,
    version: 1,
    tenant: at.tenant,
    user: type === 'conversation' ? (wish.user ?? 'jane') : wish.user,
    agent: wish.agent,
    thread: threadOf(wish),
    canary: first,
    state: hides ? 'hidden' : 'current',
    key: claim === null ? keyOf(wish, at.id) : JSON.stringify(claim),
    claim,
    policy: type === 'toolbox' ? wish.policy : {},
  };
  if (!hasVersions) return [row];
  const next = { ...row, id: `${at.id}_next`, version: 2, canary: last };
  return [{ ...row, state: 'superseded' }, next];
}

function threadOf({ type, thread }: Draft): string | null {
  if (type === 'toolbox' || type === 'workflow' || type === 'chunk') return null;
  return type === 'conversation' ? (thread ?? 'main') : thread;
}

/** Guidelines, personas and tools compete by key; all else stands alone. */
function keyOf({ type, topic }: Draft, id: string): string {
  return type === 'guideline' || type === 'persona' || type === 'toolbox' || type === 'workflow' ? topic : id;
}

/** Claims that rows of any scope share, claims told apart by a secret condition, and claims on a secret subject. */
function claimOf({ topic, variant }: Draft, canary: string): Claim {
  const subject = `service:${variant === 2 ? canary : topic}`;
  return { subject, predicate: 'owner', conditions: variant === 1 ? { region: canary } : null };
}

/** The seed's row: its canary stands in every text of it. */
function jsonOf(row: WorldRow, wish: Draft, count: number): object {
  const { type, canary, id } = row;
  const text = `On ${wish.topic}, ${canary} is what was noted (${canary}).`;
  const columns = { id, user_id: row.user, agent_id: row.agent };
  const threaded = { ...columns, thread_id: row.thread };
  const times = {
    valid_from: wish.fate === 'future' ? future : began,
    valid_until: row.state === 'superseded' || wish.fate === 'expired' ? ended : null,
  };
  switch (type) {
    case 'guideline':
      return { ...threaded, ...times, guideline_key: row.key, guideline_value: text };
    case 'persona':
      return { ...threaded, ...times, persona_key: row.key, persona_value: { said: text } };
    case 'toolbox':
      return {
        ...columns,
        ...times,
        ...toolColumns(`tool_${row.key}`, 'search_memory', text),
        access_policy: row.policy,
      };
    case 'entity':
      return { ...threaded, ...times, ...row.claim, content: text, aliases: [`the ${canary}`], ...versionOf(row) };
    case 'workflow':
      return { ...columns, ...times, workflow_name: row.key, description: text, steps: [text], expected_outcome: text };
    case 'summary':
      return {
        ...threaded,
        ...times,
        title: text,
        summary: text,
        key_steps: [text],
        outcome: text,
        completed_at: began,
      };
    case 'conversation':
      return { ...threaded, created_at: minute(count), event_type: 'user_msg', speaker: `speaker ${canary}`, text };
    case 'chunk':
      return { ...columns, id: `doc_${id}`, ...times, ...documentColumns(row, text) };
    default:
      return type satisfies never;
  }
}

function versionOf({ version, state, id }: WorldRow): object {
  if (state === 'superseded') return { version, superseded_by: `${id}_next` };
  return version === 1 ? { version } : { version, valid_from: ended };
}

function documentColumns({ id, canary }: WorldRow, text: string): object {
  return {
    collection: `shelf ${canary}`,
    title: `Title ${canary}`,
    source_uri: `https://docs.example/${canary}`,
    source_type: 'note',
    chunks: [{ id, content: text }],
  };
}

function minute(count: number): string {
  return `2020-02-01T${String(Math.floor(count / 60)).padStart(2, '0')}:${String(count % 60).padStart(2, '0')}:00.000000Z`;
}

/** Summaries and turns derived from any claim, and any two memories at odds: across users, agents and threads too. */
function relations(rows: readonly WorldRow[], drafts: readonly Draft[]): { source_refs: object[]; links: object[] } {
  const history = rows.filter(({ type }) => type === 'summary' || type === 'conversation');
  const claims = rows.filter(({ type }) => type === 'entity');
  const memories = rows.filter(({ type }) => type !== 'guideline' && type !== 'persona' && type !== 'toolbox');
  const pick = (from: readonly WorldRow[], at: number) => from[(drafts[at % drafts.length]?.other ?? 0) % from.length];
  const edges = history.flatMap((row, at) => {
    const source = pick(claims, at);
    return source === undefined ? [] : [{ derived: refOf(row), source: refOf(source), relation: 'derived_from' }];
  });
  const links = memories.flatMap((row, at) => {
    const target = pick(memories, at);
    if (at % 3 !== 0 || target === undefined || target === row) return [];
    return [{ source: refOf(row), target: refOf(target), relation: 'contradicts' }];
  });
  return { source_refs: edges, links };
}

function toolColumns(name: string, handler: string, notes: string): object {
  const text = { type: 'string' };
  const properties = {
    search_memory: { query: text, limit: { type: 'integer' } },
    search_history: { query: text, limit: { type: 'integer' }, thread: text },
    lookup_entity: { subject: text, predicate: text, conditions: { type: 'object' } },
    expand: { memory_id: text },
    search: { query: text },
    fetch: { id: text },
    clarify: { question: text, options: { type: 'array', items: text } },
  }[handler];
  return {
    tool_name: name,
    tool_handler: handler,
    tool_schema: { type: 'object', title: name, properties: { ...properties } },
    usage_notes: notes,
  };
}

const everyHandler = ['search_memory', 'search_history', 'lookup_entity', 'expand', 'search', 'fetch', 'clarify'];

/** Tools that everybody may call; the ids are those of no generated row. */
export const baseTools = everyHandler.map((name) => ({
  id: `base_${name}`,
  valid_from: began,
  ...toolColumns(name, name, 'Reads memory.'),
}));

/** Wide enough that what is visible is shown: a leak has room to be seen. */
export const budget = {
  id: 'base_budget',
  valid_from: began,
  guideline_key: 'context_budget',
  guideline_value: {
    usable_context: 40_000,
    output_reserve: 500,
    tool_reserve: 16_000,
    request_overhead_reserve: 500,
    max_rounds: 40,
    max_tool_result_tokens: 6_000,
    weights: { rerank: 0.6, confidence: 0.25, recency: 0.15 },
    recency_days: 4_000,
    shares: { default: { durable_facts: 0.3, evidence: 0.3, recalled_history: 0.2, volatile_tail: 0.2 } },
    overflow_order: ['evidence', 'durable_facts', 'volatile_tail', 'recalled_history'],
    candidate_caps: { durable_facts: 50, evidence: 200, recalled_history: 50, volatile_tail: 50 },
  },
};
