// Edits of hosts' files as those hosts write them: the entry comes and goes, and everything else keeps its bytes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseJson } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { entryText, withEntry, withoutEntry } from '../../src/connect/edit.ts';
import type { EntryPlace } from '../../src/connect/edit.ts';
import { mergedEntry } from '../../src/connect/entry.ts';

const files = join(import.meta.dirname, 'files');
const read = (name: string): string => readFileSync(join(files, name), 'utf8');

const name = 'context-assembly-memory';
const entry = {
  command: 'C:\\Program Files\\node\\node.exe',
  args: ['C:\\memory "one"\\main.js', 'stdio'],
  env: { CONTEXT_DATA_DIR: '/home/ada/mémoire', CONTEXT_USER_ID: 'ada' },
};

const places = {
  'claude_desktop_config.json': { format: 'json', container: 'mcpServers', name },
  'claude.json': { format: 'json', container: 'mcpServers', name },
  'cursor_mcp.json': { format: 'json', container: 'mcpServers', name },
  'vscode_mcp.json': { format: 'json', container: 'servers', name },
  'windsurf_mcp_config.json': { format: 'json', container: 'mcpServers', name },
  'codex_config.toml': { format: 'toml', container: 'mcp_servers', name },
} as const satisfies Readonly<Record<string, EntryPlace>>;

const json: EntryPlace = { format: 'json', container: 'mcpServers', name };
const toml: EntryPlace = { format: 'toml', container: 'mcp_servers', name };

const add = (text: string, place: EntryPlace, wanted: Readonly<Record<string, unknown>> = entry) =>
  withEntry({ file: '/host.file', text }, place, (existing) => mergedEntry(existing, wanted));
const remove = (text: string, place: EntryPlace) => withoutEntry({ file: '/host.file', text }, place);

/** The file's servers, read by the parsers themselves. */
function serversIn(text: string, { format, container }: EntryPlace): Record<string, Record<string, unknown>> {
  const plain = text.replace(/^\uFEFF/, '');
  const value = format === 'json' ? parseJson(plain, [], { allowTrailingComma: true }) : parseToml(plain);
  return JSON.parse(JSON.stringify(value))[container] ?? {};
}

const variants: readonly (readonly [string, (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['with the line ends of Windows', (text) => text.replaceAll('\n', '\r\n')],
  ['with a byte order mark', (text) => `\uFEFF${text}`],
  ['without a line end at its end', (text) => text.trimEnd()],
];

describe.each(Object.entries(places))('%s', (file, place) => {
  it.each(variants)('%s gets the entry once, and is itself again without it', (_, vary) => {
    const before = vary(read(file));
    const added = add(before, place);
    expect(added.change).toBe('added');
    expect(serversIn(added.text, place)).toEqual({ ...serversIn(before, place), [name]: entry });
    // Every line of the author's is still there; one may have got a comma.
    const lines = added.text.split('\n');
    const isKept = (line: string) => {
      const withComma = line.replace(/(?=\s*(?:\/\/.*)?\s*$)/, ',');
      return lines.some((one) => one === withComma || one.startsWith(line));
    };
    expect(before.split('\n').filter((line) => !isKept(line))).toEqual([]);
    expect(added.text.includes('\r\n')).toBe(before.includes('\r\n'));
    if (before.includes('\r\n')) expect(added.text).not.toMatch(/[^\r]\n/);
    expect(added.text.endsWith('\n')).toBe(before.endsWith('\n'));
    expect(add(added.text, place)).toEqual({ text: added.text, change: 'present' });
    expect(remove(added.text, place)).toEqual({ text: before, change: 'removed' });
    expect(remove(before, place)).toEqual({ text: before, change: 'absent' });
  });

  it('changes only what differs when the entry is brought up to date, and keeps what a person added', () => {
    const [mark, added] = place.format === 'json' ? ['"args":', '"disabled": true, '] : ['args =', 'disabled = true\n'];
    const { text } = add(read(file), place);
    // Of all the arguments in the file, those of the entry.
    const at = text.lastIndexOf(mark, text.indexOf('memory \\"one'));
    const own = text.slice(0, at) + added + text.slice(at);
    const moved = { ...entry, command: '/new/node', env: { CONTEXT_DATA_DIR: '/elsewhere' } };
    const updated = add(own, place, moved);
    expect(updated.change).toBe('updated');
    expect(serversIn(updated.text, place)[name]).toEqual({ ...moved, disabled: true });
    const linesOf = (of: string) => of.split('\n').length;
    // The user's variable is gone with its line, and nothing has moved.
    expect(linesOf(updated.text)).toBe(linesOf(own) - 1);
    expect(add(updated.text, place, moved).change).toBe('present');
  });
});

describe('a file without servers', () => {
  it.each([
    ['', '{\n  "mcpServers": {\n    "n": {\n      "a": 1\n    }\n  }\n}\n'],
    ['{}', '{\n  "mcpServers": {\n    "n": {\n      "a": 1\n    }\n  }\n}'],
    ['{\n}\n', '{\n  "mcpServers": {\n    "n": {\n      "a": 1\n    }\n  }\n}\n'],
    ['{"x":1}', '{"x":1,"mcpServers":{"n":{"a":1}}}'],
    ['{ "x": 1 }', '{ "x": 1, "mcpServers": { "n": { "a": 1 } } }'],
    ['{ "x": 1, }', '{ "x": 1, "mcpServers": { "n": { "a": 1 } }, }'],
    [
      '{\n    "x": 1 // one\n}',
      '{\n    "x": 1, // one\n    "mcpServers": {\n        "n": {\n            "a": 1\n        }\n    }\n}',
    ],
    ['{"mcpServers":{}}', '{"mcpServers":{"n":{"a":1}}}'],
    ['{\n\t"mcpServers": {}\n}', '{\n\t"mcpServers": {\n\t\t"n": {\n\t\t\t"a": 1\n\t\t}\n\t}\n}'],
    ['{ // none yet\n}', '{ // none yet\n  "mcpServers": {\n    "n": {\n      "a": 1\n    }\n  }\n}'],
    ['// mine\n', '// mine\n{\n  "mcpServers": {\n    "n": {\n      "a": 1\n    }\n  }\n}\n'],
  ])('%j becomes %j', (before, after) => {
    const place = { ...json, name: 'n' };
    expect(add(before, place, { a: 1 })).toEqual({ text: after, change: 'added' });
    expect(serversIn(remove(after, place).text, place)).toEqual({});
  });

  it.each([
    ['', '[mcp_servers.n]\na = "b"\n'],
    ['x = 1\n', 'x = 1\n\n[mcp_servers.n]\na = "b"\n'],
    ['x = 1', 'x = 1\n\n[mcp_servers.n]\na = "b"'],
    ['[t]\r\nx = 1\r\n', '[t]\r\nx = 1\r\n\r\n[mcp_servers.n]\r\na = "b"\r\n'],
  ])('%j becomes %j, and is itself again afterwards', (before, after) => {
    const place = { ...toml, name: 'n' };
    expect(add(before, place, { a: 'b' })).toEqual({ text: after, change: 'added' });
    expect(remove(after, place)).toEqual({ text: before, change: 'removed' });
  });

  it('keeps its skeleton when the last entry leaves', () => {
    const { text } = add('', json);
    expect(remove(text, json).text).toBe('{\n  "mcpServers": {}\n}\n');
  });
});

describe('an entry of Codex that a person wrote', () => {
  const changed = { command: '/new', args: ['x'], env: { CONTEXT_DATA_DIR: '/d' } };

  it.each([
    [
      'in one line',
      `[mcp_servers]\n${name} = { command = "/old", startup_timeout_sec = 20 } # mine\nother.command = "x"\n`,
    ],
    [
      'with its variables in braces',
      `[mcp_servers.${name}]\ncommand = "/old"\nenv = { CONTEXT_USER_ID = "a", KEY = "k" }\nstartup_timeout_sec = 20\n`,
    ],
    [
      'with a table for them',
      `[mcp_servers.${name}]\nstartup_timeout_sec = 20 # slow\ncommand = "/old"\n[mcp_servers.${name}.env]\nKEY = "k"\n\n[z]\n`,
    ],
    ['with quotes and spaces', `[ mcp_servers . "${name}" ]\n  command = '''/old'''\n  startup_timeout_sec = 20\n`],
    [
      'with a table of tools after another one',
      `[mcp_servers.${name}]\ncommand = "/old"\nstartup_timeout_sec = 20\n[z]\n[mcp_servers.${name}.tools.expand]\napproval_mode = "approve"\n`,
    ],
  ])('%s is brought up to date and taken out', (_, before) => {
    const { text, change } = add(before, toml, changed);
    expect(change).toBe('updated');
    const { env, ...own } = serversIn(text, toml)[name] ?? {};
    expect(own).toMatchObject({ command: '/new', args: ['x'], startup_timeout_sec: 20 });
    expect(env).toEqual({ ...(before.includes('KEY') ? { KEY: 'k' } : {}), CONTEXT_DATA_DIR: '/d' });
    const left = remove(text, toml).text;
    expect(serversIn(left, toml)[name]).toBeUndefined();
    expect(left.includes('[z]')).toBe(before.includes('[z]'));
    expect(left.includes('# slow')).toBe(false);
  });

  it('in a form that cannot be changed alone is refused, and named', () => {
    for (const text of ['mcp_servers = { a = { command = "x" } }\n', `mcp_servers.${name}.command = "/old"\n`]) {
      const edited = (() => {
        try {
          return serversIn(add(text, toml, changed).text, toml)[name];
        } catch (error) {
          return error;
        }
      })();
      if (edited instanceof Error)
        expect(edited).toMatchObject({ code: 'host_file_refused', message: expect.stringContaining('--print') });
      else expect(edited).toEqual(changed);
    }
  });
});

describe('a broken file', () => {
  it.each([
    ['{\n  "mcpServers": {\n    "a": {}\n    "b": {}\n  }\n}', 4, 5, 'comma expected'],
    ['{\n  "a": tru\n}', 2, 8, 'invalid symbol'],
    ['{"a": 1', 1, 8, 'close brace expected'],
    ['{}\n{}', 2, 1, 'end of file expected'],
    ['[]', 1, 1, 'the file is no object'],
    ['"text"', 1, 1, 'the file is no object'],
    ['{\r\n"mcpServers": []}', 2, 15, '"mcpServers" is no object'],
    ['{"mcpServers": null}', 1, 16, '"mcpServers" is no object'],
    ['{"mcpServers": {},\n "mcpServers": {}}', 2, 2, 'for the second time'],
    [`{"mcpServers": {"${name}": {},\n"${name}": {}}}`, 2, 1, 'for the second time'],
    ['<<<<<<< HEAD\n{}', 1, 1, 'no JSON'],
  ])('of JSON, %j, is refused with its place', (text, line, column, reason) => {
    for (const act of [() => add(text, json), () => remove(text, json)]) {
      expect(act).toThrow(
        expect.objectContaining({
          code: 'host_file_refused',
          data: { file: '/host.file', line, column },
          message: expect.stringMatching(new RegExp(`/host\\.file .* line ${line}, column ${column}.*${reason}`)),
        }),
      );
    }
  });

  it('of TOML is refused with its place, and its content is not repeated', () => {
    const text = 'model = "a"\n[mcp_servers.a]\nkey = "very-secret\nx = 1\n';
    for (const act of [() => add(text, toml), () => remove(text, toml)]) {
      expect(act).toThrow(
        expect.objectContaining({
          code: 'host_file_refused',
          message: expect.stringMatching(/line 3, column \d+: this is no TOML\.$/),
        }),
      );
    }
    expect(() => add('mcp_servers = 1\n', toml)).toThrow(expect.objectContaining({ code: 'host_file_refused' }));
  });
});

describe('the entry alone', () => {
  it('is what a new file would hold', () => {
    expect(JSON.parse(entryText(json, entry))).toEqual({ mcpServers: { [name]: entry } });
    expect(JSON.parse(JSON.stringify(parseToml(entryText(toml, entry))))).toEqual({ mcp_servers: { [name]: entry } });
  });
});
