// Whatever a file holds around the entry: it is added once, changes nothing else, and leaves as it came.
import fc from 'fast-check';
import { parse as parseJson } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { withEntry, withoutEntry } from '../../src/connect/edit.ts';
import type { EntryPlace } from '../../src/connect/edit.ts';
import { mergedEntry } from '../../src/connect/entry.ts';
import { isTable } from '../../src/connect/path.ts';

const runs = { numRuns: 400 };
const name = 'memory';
const json: EntryPlace = { format: 'json', container: 'servers', name };
const toml: EntryPlace = { format: 'toml', container: 'servers', name };

const add = (text: string, place: EntryPlace, entry: Readonly<Record<string, unknown>>) =>
  withEntry({ file: 'f', text }, place, (existing) => mergedEntry(existing, entry));
const remove = (text: string, place: EntryPlace) => withoutEntry({ file: 'f', text }, place).text;

const entries = fc
  .tuple(
    fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.toWellFormed()),
    fc.array(fc.string({ maxLength: 8 }), { maxLength: 3 }),
    fc.uniqueArray(fc.constantFrom('CONTEXT_USER_ID', 'CONTEXT_DATA_DIR', 'CONTEXT_ROLES'), { minLength: 1 }),
    fc.string({ maxLength: 8 }),
  )
  .map(([command, args, set, text]) => ({
    command,
    args,
    env: Object.fromEntries(set.map((one) => [one, text + one])),
  }));

// A setter of the prototype when a parser assigns it, and so no member like others.
const names = fc.string({ maxLength: 6 }).filter((text) => !['__proto__', 'servers', name].includes(text));
const trivia = fc.constantFrom('', '', ' ', '\n', '\n  ', '\t', ' /* , } */ ', ' // { "\n', '\n\n    ', '/**/');

/** JSON as people write it: any layout, comments, commas at the end. */
const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc
      .oneof(fc.string(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean())
      .map((plain) => JSON.stringify(plain)),
    tie('list'),
    tie('object'),
  ),
  list: fc
    .tuple(fc.array(fc.tuple(trivia, tie('value'), trivia), { maxLength: 3 }), trivia)
    .map(([parts, end]) => `[${parts.map((part) => part.join('')).join(',')}${end}]`),
  object: objectOf(fc.uniqueArray(fc.tuple(names, tie('value')), { selector: ([key]) => key, maxLength: 3 })),
}));

function objectOf(members: fc.Arbitrary<[string, string][]>): fc.Arbitrary<string> {
  return fc.tuple(members, fc.infiniteStream(trivia), fc.boolean()).map(([pairs, space, isTrailing]) => {
    const next = () => space.next().value ?? '';
    const texts = pairs.map(([key, text]) => `${next()}${JSON.stringify(key)}${next()}:${next()}${text}${next()}`);
    return `{${texts.join(',')}${isTrailing && texts.length > 0 ? ',' : ''}${next()}}`;
  });
}

const others = fc.uniqueArray(fc.tuple(names, value), { selector: ([key]) => key, maxLength: 3 });
const withMember = (members: typeof others, key: string, texts: fc.Arbitrary<string>) =>
  fc.tuple(members, texts, fc.nat()).map(([pairs, text, place]): [string, string][] => {
    const at = place % (pairs.length + 1);
    return [...pairs.slice(0, at), [key, text], ...pairs.slice(at)];
  });
const ends = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => `\uFEFF${text}`,
);
const around = (texts: fc.Arbitrary<string>) =>
  fc.tuple(trivia, texts, trivia, ends).map(([before, text, after, vary]) => vary(before + text + after));
const jsonWith = (servers: fc.Arbitrary<string>) => around(objectOf(withMember(others, 'servers', servers)));

const steps = fc.constantFrom(undefined, 1, 2, 4, '\t');
/** What ends a line that another one follows. */
const remarks = fc.constantFrom('\n', ' // {"a": "\n', ' /* , */\n', '\n\n', '\n// }\n');
const bare = (text: string) => text.replace(/\s+/g, '');

const readJson = (text: string) => parseJson(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true });

/** A file's values without the entry; no table of servers counts as an empty one. */
function otherValues(value_: unknown): unknown {
  if (!isTable(value_)) return value_;
  const { servers = {}, ...rest } = value_;
  if (!isTable(servers)) return value_;
  const { [name]: _, ...left } = servers;
  return JSON.parse(JSON.stringify({ ...rest, servers: left }));
}

describe('any JSON', () => {
  it('keeps all its other values, gets one entry, and is not touched the second time', () => {
    const texts = fc.oneof(
      around(objectOf(others)),
      jsonWith(objectOf(others)),
      jsonWith(objectOf(withMember(others, name, value))),
      trivia,
    );
    fc.assert(
      fc.property(texts, entries, (text, entry) => {
        const added = add(text, json, entry);
        const read = readJson(added.text);
        expect(read.servers[name]).toMatchObject(entry);
        expect(otherValues(read)).toEqual(otherValues(readJson(text) ?? {}));
        expect(add(added.text, json, entry)).toEqual({ text: added.text, change: 'present' });
        const removed = remove(added.text, json);
        expect(otherValues(readJson(removed))).toEqual(otherValues(readJson(text) ?? {}));
        const hadServers = Object.keys(Object(readJson(text)?.servers)).some((one) => one !== name);
        if (hadServers && add(text, json, entry).change === 'added') expect(bare(removed)).toBe(bare(text));
      }),
      runs,
    );
  });

  it('as programs and careful people lay it out is itself again, byte for byte, when the entry has left', () => {
    const some = others.filter((pairs) => pairs.length > 0);
    fc.assert(
      fc.property(jsonWith(objectOf(some)), steps, remarks, ends, entries, (text, step, remark, vary, entry) => {
        const laidOut = vary(JSON.stringify(readJson(text), null, step).replace(/(?<=[,}\]])\n/g, remark));
        expect(remove(add(laidOut, json, entry).text, json)).toBe(laidOut);
      }),
      runs,
    );
  });
});

const tomlValues = fc.constantFrom(
  '1',
  '1.0',
  'true',
  '"[servers.memory]"',
  "'C:\\x'",
  '"""\n[servers.memory]\ncommand = "no" \\"\\"" # c\n""""',
  "'''\n# x\n[a]'''",
  '2026-01-01T00:00:00Z',
  '07:32:00',
  '[1, 2]',
  '[\n  "a", # ]\n  [ "b" ],\n]',
  '{ a = 1, b = "}" }',
  '[{ x = "#" }]',
);
const comments = fc.constantFrom('', '', '# [servers.memory]\n', '\n', '   \n', '# "\n');
const assignments = (keys: fc.Arbitrary<string>) =>
  fc
    .uniqueArray(
      fc.tuple(keys, tomlValues, comments, fc.constantFrom('', '  ', '\t'), fc.constantFrom('', ' # ='), comments),
      {
        selector: ([key]) => key,
        maxLength: 3,
      },
    )
    .map((parts) =>
      parts
        .map(([key, text, before, indent, after, behind]) => `${before}${indent}${key} = ${text}${after}\n${behind}`)
        .join(''),
    );
const keys = fc.constantFrom('a', '"b c"', "'d=e'", 'f-g', '"[h"', 'i.j');
const headers = fc.constantFrom(
  '[t]',
  '[ "u]" . v ]',
  '[servers.other]',
  '[servers."memory 2"]',
  '[servers.other.env]',
  '[w]',
);
const tomlTexts = fc
  .tuple(
    assignments(keys),
    fc.uniqueArray(fc.tuple(headers, assignments(keys)), { selector: ([header]) => header, maxLength: 4 }),
    fc.array(assignments(keys), { maxLength: 2 }),
    ends,
    fc.boolean(),
  )
  .map(([first, tables, listed, vary, isEnded]) => {
    const parts = [...tables, ...listed.map((text) => ['[[list]]', text] as const)];
    const text = first + parts.map(([header, body]) => `${header} # "\n${body}`).join('');
    return vary(isEnded ? text : text.replace(/\n$/, ''));
  });

describe('any TOML', () => {
  const readToml = (text: string) => JSON.parse(JSON.stringify(parseToml(text.replace(/^\uFEFF/, ''))));

  it('keeps all its other values, gets one entry, and is itself again without it', () => {
    fc.assert(
      fc.property(tomlTexts, entries, entries, (text, entry, next) => {
        const added = add(text, toml, entry);
        expect(added.change).toBe('added');
        expect(readToml(added.text).servers[name]).toEqual(entry);
        expect(otherValues(readToml(added.text))).toEqual(otherValues(readToml(text)));
        expect(add(added.text, toml, entry)).toEqual({ text: added.text, change: 'present' });
        const updated = add(added.text, toml, next).text;
        expect(readToml(updated).servers[name]).toEqual(next);
        expect(remove(updated, toml)).toBe(text);
      }),
      runs,
    );
  });
});
