// One entry of a host's file: put in, brought up to date, taken out, and never anything else of the file changed.

import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../model/json.ts';
import { checkJsonPath, readJson, removeJson, setJson } from './json_text.ts';
import { isTable, valueAt } from './path.ts';
import type { Path, TableValue } from './path.ts';
import { refusedFile } from './refusal.ts';
import type { NamedText } from './refusal.ts';
import { readToml, removeToml, setToml } from './toml_text.ts';

/** What happened to the entry. */
export type Change = 'added' | 'updated' | 'present' | 'removed' | 'absent';

/** A text after an edit; with `present` and `absent` it is the one that was given. */
export interface Edited {
  readonly text: string;
  readonly change: Change;
}

/** Where an entry stands. */
export interface EntryPlace {
  readonly format: 'json' | 'toml';
  /** The table that holds the servers by name. */
  readonly container: string;
  readonly name: string;
}

interface Format {
  read(source: NamedText): unknown;
  set(source: NamedText, path: Path, value: unknown): string;
  remove(source: NamedText, path: Path): string;
  /** Throws `host_file_refused` for a text in which the path leads nowhere that hosts agree on. */
  check(source: NamedText, path: Path): void;
}

const formats: Readonly<Record<EntryPlace['format'], Format>> = {
  json: { read: readJson, set: setJson, remove: removeJson, check: checkJsonPath },
  // What TOML is cannot hold a name twice, and a table that is none is found when the text is read again.
  toml: { read: readToml, set: setToml, remove: removeToml, check: readToml },
};

const byteOrderMark = '\uFEFF';

/**
 * The text with the entry that `wanted` makes of the one that is there. Throws `host_file_refused` for a broken text,
 * and for one in which the entry is written in a way that cannot be changed without touching other things.
 */
export function withEntry(source: NamedText, place: EntryPlace, wanted: (existing: unknown) => TableValue): Edited {
  const format = formats[place.format];
  const path = [place.container, place.name];
  const before = withoutMark(source);
  format.check(before, path);
  const existing = valueAt(format.read(before), path);
  const entry = wanted(existing);
  if (isDeepStrictEqual(existing, entry)) return { text: source.text, change: 'present' };
  const text = changed(format, before, { path, from: existing, to: entry });
  checkAfter(before, text, { place, entry });
  return { text: markOf(source) + text, change: existing === undefined ? 'added' : 'updated' };
}

/** The text without the entry. Throws as {@link withEntry} does. */
export function withoutEntry(source: NamedText, place: EntryPlace): Edited {
  const format = formats[place.format];
  const path = [place.container, place.name];
  const before = withoutMark(source);
  format.check(before, path);
  if (valueAt(format.read(before), path) === undefined) return { text: source.text, change: 'absent' };
  const text = format.remove(before, path);
  checkAfter(before, text, { place, entry: undefined });
  return { text: markOf(source) + text, change: 'removed' };
}

/** The entry alone, as a new file would hold it. */
export function entryText(place: EntryPlace, entry: JsonObject): string {
  return formats[place.format].set({ file: '', text: '' }, [place.container, place.name], entry);
}

const markOf = ({ text }: NamedText): string => (text.startsWith(byteOrderMark) ? byteOrderMark : '');

function withoutMark(source: NamedText): NamedText {
  return { file: source.file, text: source.text.slice(markOf(source).length) };
}

/** The text with a value made another one, member by member, so that those that stay keep their place and comments. */
function changed(
  format: Format,
  source: NamedText,
  { path, from, to }: { readonly path: Path; readonly from: unknown; readonly to: unknown },
): string {
  if (!isTable(from) || !isTable(to)) return format.set(source, path, to);
  const { file } = source;
  let { text } = source;
  for (const name of Object.keys(from)) {
    if (!Object.hasOwn(to, name)) text = format.remove({ file, text }, [...path, name]);
  }
  for (const [name, value] of Object.entries(to)) {
    const part = { path: [...path, name], from: from[name], to: value };
    if (!isDeepStrictEqual(from[name], value)) text = changed(format, { file, text }, part);
  }
  return text;
}

/** Throws unless the text can be read, holds the entry as wanted, and holds all else as before. */
function checkAfter(
  before: NamedText,
  text: string,
  { place, entry }: { readonly place: EntryPlace; readonly entry: TableValue | undefined },
): void {
  const format = formats[place.format];
  const { file } = before;
  try {
    const after = format.read({ file, text });
    const path = [place.container, place.name];
    if (
      isDeepStrictEqual(valueAt(after, path), entry) &&
      isDeepStrictEqual(otherValues(after, place), otherValues(format.read(before), place))
    ) {
      return;
    }
  } catch {
    // Below: whatever went wrong, the file stays as it is.
  }
  throw refusedFile(
    file,
    `${place.container} is written in it in a way that this command cannot change; --print shows what to write by hand`,
  );
}

/** All of a file's values but the entry; no table of servers counts as an empty one. */
function otherValues(value: unknown, { container, name }: EntryPlace): unknown {
  if (!isTable(value)) return value;
  const { [container]: servers = {}, ...rest } = value;
  if (!isTable(servers)) return value;
  const { [name]: _, ...others } = servers;
  return { ...rest, [container]: others };
}
