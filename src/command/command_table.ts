// Which commands there are: each is loaded when it is asked for, so that none pays for what another needs.

import type { Command } from './command.ts';

/** A command of the table. */
export interface CommandEntry {
  /** One line for the list of commands. */
  readonly summary: string;
  load(): Promise<Command>;
}

/** All commands by name, in the order of the help. */
export const commandTable: ReadonlyMap<string, CommandEntry> = new Map<string, CommandEntry>([
  [
    'stdio',
    {
      summary: 'serve a host over stdin and stdout (MCP); what a host starts',
      load: async () => (await import('./stdio.ts')).stdio,
    },
  ],
  [
    'http',
    {
      summary: 'serve hosts over HTTP (MCP), each request as whoever its token speaks for',
      load: async () => (await import('./http.ts')).http,
    },
  ],
  [
    'demo',
    {
      summary: 'show the whole idea on seeded data in memory; writes nothing to disk',
      load: async () => (await import('./demo.ts')).demo,
    },
  ],
  [
    'connect',
    {
      summary: "put this server into a host's own configuration file",
      load: async () => (await import('./connect.ts')).connect,
    },
  ],
  [
    'assemble',
    {
      summary: 'assemble the window for a question and print it with its manifest',
      load: async () => (await import('./assemble.ts')).assemble,
    },
  ],
  [
    'manifest',
    {
      summary: 'show a stored manifest, or list the newest ones',
      load: async () => (await import('./manifest.ts')).manifest,
    },
  ],
  [
    'diff',
    {
      summary: 'compare two manifests: what entered, left or changed, and why',
      load: async () => (await import('./diff.ts')).diff,
    },
  ],
  [
    'check',
    {
      summary: 'check the citations of an answer against what its window showed',
      load: async () => (await import('./check_answer.ts')).checkAnswer,
    },
  ],
  [
    'replay',
    {
      summary: 'build a recorded window again, and say whether it comes out the same',
      load: async () => (await import('./replay.ts')).replay,
    },
  ],
  [
    'affected',
    {
      summary: 'list what used a memory that was corrected later',
      load: async () => (await import('./affected.ts')).affected,
    },
  ],
  [
    'trace',
    {
      summary: 'follow a cited id to its memory, its sources, the event or document behind it',
      load: async () => (await import('./trace.ts')).trace,
    },
  ],
  [
    'apply',
    {
      summary: 'write guidelines, persona, tools, facts, workflows and documents from a file',
      load: async () => (await import('./apply.ts')).apply,
    },
  ],
  [
    'init',
    {
      summary: 'write the default profile of the tenant: four tools and a budget',
      load: async () => (await import('./init.ts')).init,
    },
  ],
  [
    'compress',
    {
      summary: 'list or make the short texts of long memories and threads',
      load: async () => (await import('./compress.ts')).compress,
    },
  ],
  ['seed', { summary: "write seed files, by default the demo's", load: async () => (await import('./seed.ts')).seed }],
  [
    'erase',
    {
      summary: 'erase a user, thread, event, document or tenant with all that came of it',
      load: async () => (await import('./erase.ts')).erase,
    },
  ],
  [
    'retention',
    {
      summary: 'erase what is older than guideline context_retention says',
      load: async () => (await import('./retention.ts')).retention,
    },
  ],
  [
    'reembed',
    {
      summary: 'make all vectors with the configured embedder, while the memory is in use',
      load: async () => (await import('./reembed.ts')).reembed,
    },
  ],
  [
    'reindex',
    {
      summary: 'make the index anew where it is missing or old, or all of it',
      load: async () => (await import('./reindex.ts')).reindex,
    },
  ],
  [
    'migrate',
    {
      summary: 'apply the migrations that the store lacks',
      load: async () => (await import('./migrate.ts')).migrate,
    },
  ],
  [
    'backup',
    {
      summary: 'write a copy of the whole memory to a file, while it is in use',
      load: async () => (await import('./backup.ts')).backup,
    },
  ],
  [
    'restore',
    {
      summary: 'fill an empty data directory from such a file',
      load: async () => (await import('./restore.ts')).restore,
    },
  ],
  [
    'export',
    {
      summary: 'write the rows of the tenant to a file of text',
      load: async () => (await import('./export.ts')).exportCommand,
    },
  ],
  [
    'import',
    {
      summary: 'write such a file into an empty tenant',
      load: async () => (await import('./import.ts')).importCommand,
    },
  ],
  [
    'ingest',
    {
      summary: 'bring documents into the knowledge base: Markdown, text, HTML, PDF, JSONL, whole folders',
      load: async () => (await import('./ingest.ts')).ingest,
    },
  ],
  [
    'doctor',
    {
      summary: 'say what is configured, reachable and wrong',
      load: async () => (await import('./doctor.ts')).doctor,
    },
  ],
  [
    'status',
    {
      summary: 'say which process holds the data directory, and who works on it',
      load: async () => (await import('./status.ts')).status,
    },
  ],
  [
    'stop',
    {
      summary: 'end the process that holds the data directory',
      load: async () => (await import('./stop.ts')).stop,
    },
  ],
  [
    'owner',
    {
      summary: 'hold the data directory for others; started by itself when it is needed',
      load: async () => (await import('./owner.ts')).owner,
    },
  ],
  [
    'unlock',
    {
      summary: 'remove the lock of a data directory whose holder is gone',
      load: async () => (await import('./unlock.ts')).unlock,
    },
  ],
]);
