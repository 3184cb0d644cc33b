// connect: puts this server into a host's own configuration file, or takes it out again, and changes nothing else there.

import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { findFile, replaceFile } from '../connect/config_file.ts';
import { entryText, withEntry, withoutEntry } from '../connect/edit.ts';
import type { Change, Edited, EntryPlace } from '../connect/edit.ts';
import { localNotes, localServer, mergedEntry } from '../connect/entry.ts';
import type { Settings } from '../connect/entry.ts';
import { hosts } from '../connect/hosts.ts';
import type { ConnectableHost } from '../connect/hosts.ts';
import { refusedFile } from '../connect/refusal.ts';
import type { NamedText } from '../connect/refusal.ts';
import { thisHostMachine, thisLaunch } from '../connect/this_program.ts';
import { MemoryError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import { jsonOption, UsageError } from './arguments.ts';
import type { Command, Context } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { plain } from './print.ts';
import { wrapped } from './table.ts';

const defaultName = 'context-assembly-memory';

/** The command. */
export const connect: Command = {
  synopsis: 'HOST',
  details: [
    `HOST is one of ${[...hosts.keys()].join(', ')}.`,
    'The entry starts this program by its full path, with the data directory, tenant, user and agent of this run; run it ' +
      'again when one of them changes, or when Node or this program has moved. All else in the file stays as it is, and a ' +
      'copy of the former file is kept beside it. A file that is up to date is not touched.',
    'Secrets are never written: keep DATABASE_URL in a file that only you may read and add --env-file FILE, which the ' +
      'entry then names.',
  ],
  options: {
    print: { help: 'show the entry and where it belongs; write nothing' },
    remove: { help: 'take the entry out' },
    url: { value: 'URL', help: 'an entry for a server that is reached over HTTP, in place of one that is started' },
    name: { value: 'NAME', help: `name of the entry; ${defaultName} by default` },
    ...jsonOption,
  },
  positionals: { least: 1, most: 1 },
  async run(context) {
    const asked = askedFor(context);
    if (context.arguments.flag('remove')) {
      await change(context, asked, { notes: [], edit: (source) => withoutEntry(source, asked.place) });
      return exitCodes.done;
    }
    const { entry, notes } = await entryFor(context, asked.host);
    if (context.arguments.flag('print')) printEntry(context, asked, { entry, notes });
    else {
      const edit = (source: NamedText) => withEntry(source, asked.place, (existing) => mergedEntry(existing, entry));
      await change(context, asked, { notes, edit });
    }
    return exitCodes.done;
  },
};

/** Which host, which file of it, and which entry in that. */
interface Asked {
  readonly id: string;
  readonly host: ConnectableHost;
  readonly place: EntryPlace;
  readonly file: string;
}

function askedFor({ arguments: given, environment }: Context): Asked {
  const id = given.positionals[0] ?? '';
  const host = hosts.get(id);
  if (host === undefined) {
    throw new UsageError(`There is no host ${JSON.stringify(id)}; there are ${[...hosts.keys()].join(', ')}.`);
  }
  const name = given.text('name') ?? defaultName;
  // What every host takes, and what no file format gives a meaning.
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) {
    throw new UsageError('A name has up to 64 letters, digits, - and _, and begins with a letter or digit.');
  }
  const excluded = given.flag('remove') && (given.flag('print') || given.text('url') !== null);
  if (excluded) throw new UsageError('--remove goes with --name and --json alone.');
  const files = host.files(thisHostMachine(environment));
  const [file = '', ...more] = files;
  if (more.length > 0)
    throw refusedFile(file, `${host.title} is installed more than once, and has ${more.join(', ')} too`);
  return { id, host, place: { format: host.format, container: host.container, name }, file };
}

interface Entry {
  readonly entry: JsonObject;
  readonly notes: readonly string[];
}

async function entryFor(context: Context, host: ConnectableHost): Promise<Entry> {
  const url = context.arguments.text('url');
  if (url !== null) return remoteEntry(host, url);
  const { environment } = context;
  const settings = await settingsOf(context);
  const launch = thisLaunch(environment);
  return { entry: host.local(localServer(launch, settings)), notes: localNotes(launch, settings) };
}

function remoteEntry(host: ConnectableHost, url: string): Entry {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address === null || !/^https?:$/.test(address.protocol))
    throw new UsageError('--url is no http or https address.');
  // None of it belongs to the address of a server, and all of it may be a secret.
  if ([address.username, address.password, address.search, address.hash].some((part) => part !== '')) {
    throw new UsageError('--url holds more than an address; who you are is asked when the host signs in.');
  }
  if (url.includes('${')) throw new UsageError('--url holds ${, which hosts replace by other text.');
  const entry = host.remote(url);
  if (entry === null) {
    throw new MemoryError(
      'host_file_refused',
      `${host.title} reads no remote server from its file. Add it in the app: Settings, Connectors, Add custom connector, ${url}.`,
    );
  }
  const isOpen = address.protocol === 'http:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(address.hostname);
  return { entry, notes: isOpen ? ['The address is http: what is asked and answered can be read on the way.'] : [] };
}

async function settingsOf(context: Context): Promise<Settings> {
  const { environment, config } = context;
  const path = context.arguments.text('env-file');
  return {
    environment,
    envFile: path === null ? null : { path: resolve(path), variables: parseEnv(await context.readFile(path)) },
    dataDirectory: config.server === null ? config.dataDirectory : null,
    secrets: config.secrets,
  };
}

/** Edits the file unless nothing is to be changed in it, and tells what was done. */
async function change(
  context: Context,
  { id, host, place, file }: Asked,
  work: { readonly notes: readonly string[]; readonly edit: (source: NamedText) => Edited },
): Promise<void> {
  const { print, json } = context;
  const found = await findFile(file);
  const { text, change: done } = work.edit(found);
  const isChanged = text !== found.text;
  const notes = [...work.notes, ...fileNotes(host, text)];
  const backup = isChanged ? await replaceFile(found, text) : null;
  if (json) print.json({ host: id, file, name: place.name, change: done, backup, notes });
  else {
    print.line(`${host.title}: ${sentences[done](place.name)} ${plain(file)}.`);
    if (backup !== null) print.line(`The file as it was: ${plain(backup)}`);
    printNotes(context, [...notes, ...(isChanged ? [host.next] : [])]);
  }
}

// Such a file may be read as a whole by one version of a host, and not at all by the next.
function fileNotes({ title, format, takesComments }: ConnectableHost, text: string): readonly string[] {
  if (format !== 'json' || takesComments || text === '') return [];
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''));
    return [];
  } catch {
    return [`The file holds comments or a comma before a closing bracket, which ${title} may not read.`];
  }
}

const sentences: Readonly<Record<Change, (name: string) => string>> = {
  added: (name) => `${name} is now in`,
  updated: (name) => `${name} is brought up to date in`,
  present: (name) => `${name} is already there, as it should be, in`,
  removed: (name) => `${name} is taken out of`,
  absent: (name) => `there is no ${name} in`,
};

function printEntry(context: Context, { id, host, place, file }: Asked, { entry, notes }: Entry): void {
  const { print, json } = context;
  const text = entryText(place, entry);
  if (json) return print.json({ host: id, file, name: place.name, entry, text, notes });
  print.line(`${host.title} reads ${plain(file)}. The entry for it:`);
  print.line();
  print.line(plain(text.trimEnd()));
  printNotes(context, notes);
}

function printNotes({ print }: Context, notes: readonly string[]): void {
  for (const note of notes) {
    for (const line of wrapped(plain(note), Math.min(print.columns, 90))) print.line(line);
  }
}
