// A generated world in a store, who asks it, and what an answer out of it may hold: the model's rules as checks.

import fc from 'fast-check';
import { expect } from 'vitest';
import type { Manifest, RefJson } from '../../src/model/manifest.ts';
import { operatorCall, type Fixture } from '../fixture.ts';
import {
  agents,
  isVisible,
  isVisibleInSomeThread,
  refOf,
  roles,
  tenants,
  threads,
  users,
  worlds,
  type Principal,
  type World,
  type WorldRow,
} from './model.ts';

/** The one seed of all runs: a failure comes again. */
export const seed = 20260928;

/** A caller and what is asked for. */
export interface Case {
  readonly who: Principal;
  /** Places of rows of any tenant whose canaries and claims are asked for. */
  readonly wanted: readonly [number, number];
  /** A place among what the caller may see, to find out whether it is found. */
  readonly own: number;
}

const principals: fc.Arbitrary<Principal> = fc.record({
  tenant: fc.constantFrom(...tenants),
  user: fc.constantFrom(...users, 'nobody'),
  agent: fc.oneof(fc.constant(null), fc.constantFrom(...agents)),
  thread: fc.constantFrom(...threads, 'empty'),
  roles: fc.subarray([...roles]),
});

/** Anybody who asks for rows of anybody. */
export const asking: fc.Arbitrary<Case> = fc.record({
  who: principals,
  wanted: fc.tuple(fc.nat(100_000), fc.nat(100_000)),
  own: fc.nat(100_000),
});

/** A world that stands in a store. */
export interface OpenedWorld extends World {
  readonly fixture: Fixture;
  /** The row at a place, counted around. */
  rowAt(place: number, rows?: readonly WorldRow[]): WorldRow | undefined;
  /** The rows that a caller asks for. */
  wantedRows(made: Case): readonly WorldRow[];
  /** The claims of the entities at or after the places that a caller asks for. */
  wantedClaims(made: Case): readonly NonNullable<WorldRow['claim']>[];
  /** A question that names rows of anybody, and the subjects that all share. */
  questionOn(rows: readonly WorldRow[]): string;
  /** The canaries of an output; fails for one whose row is not allowed. */
  canariesOf(what: string, output: unknown, allowed: (row: WorldRow) => boolean): ReadonlySet<string>;
  /** Refs say that a row exists: those of a manifest must be of rows that the caller sees, or saw in another thread. */
  expectOwnRefs(manifest: Manifest, who: Principal): void;
}

/** True of rows that count now. */
export const isCurrent = (row: WorldRow): boolean => row.state === 'current';

/** The canaries of rows. */
export const canariesFrom = (rows: readonly WorldRow[]): ReadonlySet<string> =>
  new Set(rows.map(({ canary }) => canary));

/** What was said, as far as a caller sees it, without the newest turn of their thread: that may be what they ask now. */
export function historyOf({ rows }: World, who: Principal): readonly WorldRow[] {
  const visible = rows.filter((row) => isCurrent(row) && isVisible(row, who));
  const turns = visible.filter(({ type }) => type === 'conversation');
  const newest = turns.filter(({ agent, thread }) => agent === who.agent && thread === who.thread).at(-1);
  return visible.filter((row) => row.type === 'summary' || (row.type === 'conversation' && row !== newest));
}

const canaryForm = /zq[a-p]{8}/g;

/** Generates the world and fills a store with it that has no row yet. */
export async function openWorld(open: () => Promise<Fixture>): Promise<OpenedWorld> {
  const [world = { rows: [], files: [], quarantined: [] }] = fc.sample(worlds, { numRuns: 1, seed });
  const fixture = await open();
  await fixture.operator.seed(world.files, { requestId: 'seed' });
  for (const { tenant, ref } of world.quarantined) {
    await fixture.store.operate(operatorCall(tenant).scope, { requestId: 'quarantine' }, (writer) =>
      writer.quarantine(ref, 'test'),
    );
  }
  const { rows } = world;
  // What callers asked, word for word: a request ends with its question.
  const asked = new Set<string>();
  const rowAt: OpenedWorld['rowAt'] = (place, among = rows) => among[place % Math.max(1, among.length)];
  const wantedRows = ({ wanted }: Case) => wanted.flatMap((place) => rowAt(place) ?? []);
  return {
    ...world,
    fixture,
    rowAt,
    wantedRows,
    wantedClaims: ({ wanted }) => wanted.flatMap((place) => rows[nthEntity(rows, place)]?.claim ?? []),
    questionOn(about) {
      const question = `What is known about ${about.map(({ canary }) => canary).join(' or ')} on latency, refunds and backups?`;
      asked.add(question);
      return question;
    },
    canariesOf: canaryCheck(rows, asked),
    expectOwnRefs: refCheck(rows),
  };
}

/** The place of an entity at or after this one. */
function nthEntity(rows: readonly WorldRow[], place: number): number {
  const start = place % Math.max(1, rows.length);
  const found = rows.findIndex(({ type }, at) => at >= start && type === 'entity');
  return found === -1 ? rows.findIndex(({ type }) => type === 'entity') : found;
}

/** Everything that a caller was ever told, without what the callers said themselves: arguments, and questions whole. */
function told(output: unknown, asked: ReadonlySet<string>): string {
  return JSON.stringify(output, (key: string, value: unknown) => {
    if (key === 'arguments') return '';
    if (typeof value !== 'string') return value;
    let text = value;
    for (const question of asked) text = text.replaceAll(question, '');
    return text;
  });
}

function canaryCheck(rows: readonly WorldRow[], asked: ReadonlySet<string>): OpenedWorld['canariesOf'] {
  const byCanary = new Map(rows.map((row) => [row.canary, row]));
  return (what, output, allowed) => {
    const found: ReadonlySet<string> = new Set(told(output, asked).match(canaryForm));
    const foreign = [...found].flatMap((canary) => {
      const row = byCanary.get(canary);
      return row !== undefined && allowed(row) ? [] : [row ?? canary];
    });
    expect(foreign, `in ${what}`).toEqual([]);
    return found;
  };
}

function refCheck(rows: readonly WorldRow[]): OpenedWorld['expectOwnRefs'] {
  const byRef = new Map(rows.map((row) => [JSON.stringify([row.tenant, ...refOf(row)]), row]));
  return (manifest, who) => {
    const seen = [
      ...manifest.memories.flatMap(({ ref, annotation_refs: notes, contradicted_by: by }) => [
        ref,
        ...by,
        ...notes.flatMap(({ current }) => (current === null ? [] : [current])),
      ]),
      ...manifest.excluded.map(({ ref }) => ref),
      ...manifest.required_refs,
      ...manifest.prefix.map(({ ref }) => ref),
    ];
    const known = [
      ...manifest.memories.flatMap(({ annotation_refs: notes }) => notes.map(({ source }) => source)),
      ...manifest.dependencies.flatMap(({ ref }) => (ref === null ? [] : [ref])),
    ];
    const foreign = (refs: readonly RefJson[], allowed: typeof isVisible) =>
      refs.filter(([type, id, version]) => {
        const row = byRef.get(JSON.stringify([who.tenant, type, id.replace(/^doc_/, ''), version]));
        const given = row ?? byRef.get(JSON.stringify([who.tenant, 'chunk', id.replace(/^doc_/, ''), version]));
        return given === undefined ? !id.startsWith('base_') : !allowed(given, who);
      });
    expect(foreign(seen, isVisible), `refs of manifest ${manifest.manifest_id}`).toEqual([]);
    expect(foreign(known, isVisibleInSomeThread), `sources of manifest ${manifest.manifest_id}`).toEqual([]);
  };
}
