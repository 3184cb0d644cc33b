// The rules of visibility as simply as they can be said, and a generated world to hold the server against them.

import fc from 'fast-check';
import type { RowId } from '../../src/model/ids.ts';
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
  /** What competes with it: of one key (or claim) the narrowest visible row counts. */
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
  return isVisibleInSomeThread(row, who) && (row.thread === null || row.thread === who.thread || isOwnHistory(row, who));
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
  fate: fc.constantFrom<Draft['fate'][]>('current', 'current', 'current', 'versioned', 'expired', 'future', 'quarantined'),
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
  return `zq${[...digits].map((digit) => letters[Number.parseInt(digit, 16)] ?? 'a').join('')}`;
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
  const rows: WorldRow[] = [];
  const sections: Record<Section, object[]> = {
    guidelines: [budgetRow],
    persona: [],
    toolbox: baseTools.map(toolRow),
    entities: [],
    workflows: [],
    summaries: [],
    turns: [],
    documents: [],
  };
  const taken = new Set<string>();
  const quarantined: { tenant: string; ref: Ref }[] = [];
  for (const [count, wish] of drafts.entries()) {
    for (const { row, json } of made(wish, { tenant, place, count, taken })) {
      rows.push(row);
      sections[sectionOf[row.type]].push(json);
      if (wish.fate === 'quarantined') quarantined.push({ tenant, ref: [row.type, row.id as RowId, row.version] });
    }
  }
  const file = { tenant_id: tenant, ...sections, ...relations(rows, drafts) };
  return { rows, files: [{ name: `${place}.json`, json: file }], quarantined };
}

/** Summaries and turns derived from any claim, and any two memories at odds: also across users, agents and threads. */
function relations(rows: readonly WorldRow[], drafts: readonly Draft[]): { source_refs: object[]; links: object[] } {
  const refOf = ({ type, id, version }: WorldRow): Ref => [type, id as RowId, version];
  const history = rows.filter(({ type }) => type === 'summary' || type === 'conversation');
  const claims = rows.filter(({ type }) => type === 'entity');
  const memories = [...history, ...claims, ...rows.filter(({ type }) => type === 'chunk' || type === 'workflow')];
  const pick = (from: readonly WorldRow[], at: number): WorldRow[] =>
    from.length === 0 ? [] : from.slice(at % from.length).slice(0, 1);
  const edges = history.flatMap((row, at) =>
    pick(claims, drafts[at]?.other ?? 0).map((source) => ({
      derived: refOf(row),
      source: refOf(source),
      relation: at % 2 === 0 ? 'derived_from' : 'mentions',
    })),
  );
  const links = memories.flatMap((row, at) =>
    at % 3 === 0
      ? pick(memories, drafts[at % drafts.length]?.other ?? 0)
          .filter((target) => target !== row)
          .map((target) => ({ source: refOf(row), target: refOf(target), relation: 'contradicts' }))
      : [],
  );
  return { source_refs: edges, links };
}

interface Made {
  readonly row: WorldRow;
  readonly json: object;
}

/** The rows of one draft: two where it has versions. A key that its scope has already becomes another key. */
function made(
  wish: Draft,
  at: { readonly tenant: string; readonly place: number; readonly count: number; readonly taken: Set<string> },
): readonly Made[] {
  const hasVersions = wish.type === 'entity' && wish.fate === 'versioned';
  const scope = scopeOf(wish);
  const base: Omit<WorldRow, 'canary' | 'version' | 'state' | 'id'> = {
    type: wish.type,
    tenant: at.tenant,
    ...scope,
    key: '',
    claim: null,
    policy: wish.type === 'toolbox' ? wish.policy : {},
  };
  return (hasVersions ? [1, 2] : [1]).map((version): Made => {
    const canary = canaryOf(at.place, at.count * 2 + version - 1);
    const claim = wish.type === 'entity' ? claimOf(wish, canaryOf(at.place, at.count * 2)) : null;
    const key = version === 2 ? at.count.toString() : freeKey(wish, claim, scope, at);
    const isOld = hasVersions && version === 1;
    const state = isOld ? 'superseded' : isHidden(wish) ? 'hidden' : 'current';
    const id = `${wish.type}_${at.count}_${version}`;
    const taken = key === '' ? null : key;
    const named = claim === null ? null : { ...claim, subject: taken === null ? claim.subject : subjectOf(wish, at) };
    const row: WorldRow = {
      ...base,
      id,
      version,
      canary,
      state,
      claim: named,
      key: keyOf(wish, named, taken),
    };
    const times = {
      ...(wish.type === 'conversation' ? {} : { valid_from: timeOf(wish, version), valid_until: null }),
      ...(isOld ? { valid_until: ended, superseded_by: `${wish.type}_${at.count}_2` } : {}),
      ...(wish.fate === 'expired' && wish.type !== 'conversation' ? { valid_until: ended } : {}),
    };
    const columns = { id, user_id: row.user, agent_id: row.agent, ...threadOf(row), ...times };
    return { row, json: { ...columns, ...ownColumns(wish, row, at.count) } };
  });
}
