// Which hosts there are: where each keeps its configuration file on each system, and how it names a server in it.

import { posix, win32 } from 'node:path';
import type { JsonObject } from '../model/json.ts';

/** What the place of a file depends on. */
export interface HostMachine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of the folders in `%LOCALAPPDATA%\Packages`, where Windows keeps the files of apps from its store. */
  readonly storePackages: readonly string[];
}

/** How a program is started by a host: its full path, what follows it, and the variables it gets. */
export interface LocalServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A host that can be connected. */
export interface ConnectableHost {
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** True where the host's file may hold comments, and commas that nothing follows. */
  readonly takesComments: boolean;
  /** The table of the file that holds the servers by name. */
  readonly container: string;
  /** Every place where the file may be, absolute; the first is meant, and more than one means that nobody can tell. */
  files(machine: HostMachine): readonly string[];
  local(server: LocalServer): JsonObject;
  /** The entry of a server that is reached by its address; null where the file cannot hold one. */
  remote(url: string): JsonObject | null;
  /** What a person does after the file has changed. */
  readonly next: string;
}

const pathsOf = ({ platform }: HostMachine) => (platform === 'win32' ? win32 : posix);

const inHome = (machine: HostMachine, ...names: readonly string[]) => pathsOf(machine).join(machine.home, ...names);

/** A variable's folder when it is an absolute path; the XDG specification asks that any other be ignored. */
function folderOf(machine: HostMachine, variable: string): string | undefined {
  const folder = machine.environment[variable];
  return folder !== undefined && pathsOf(machine).isAbsolute(folder) ? folder : undefined;
}

/** Where programs with a window keep their settings. */
function applicationFolder(machine: HostMachine): string {
  if (machine.platform === 'win32') return folderOf(machine, 'APPDATA') ?? inHome(machine, 'AppData', 'Roaming');
  if (machine.platform === 'darwin') return inHome(machine, 'Library', 'Application Support');
  return folderOf(machine, 'XDG_CONFIG_HOME') ?? inHome(machine, '.config');
}

const desktopFile = 'claude_desktop_config.json';

// Windows shows an app from its store (MSIX) another AppData than all other programs see, so that the documented file
// would never be read (https://github.com/anthropics/claude-code/issues/26073).
function claudeDesktopFiles(machine: HostMachine): readonly string[] {
  const paths = pathsOf(machine);
  const local = folderOf(machine, 'LOCALAPPDATA') ?? inHome(machine, 'AppData', 'Local');
  const packages = machine.storePackages.filter((name) => name.startsWith('Claude_'));
  if (machine.platform === 'win32' && packages.length > 0) {
    return packages.map((name) => paths.join(local, 'Packages', name, 'LocalCache', 'Roaming', 'Claude', desktopFile));
  }
  return [paths.join(applicationFolder(machine), 'Claude', desktopFile)];
}

function localEntry({ command, args, env }: LocalServer): JsonObject {
  return { command, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
}

// https://modelcontextprotocol.io/quickstart/user; remote servers are not read from the file:
// https://support.claude.com/en/articles/11503834-building-custom-connectors-via-remote-mcp-servers
const claudeDesktop: ConnectableHost = {
  title: 'Claude Desktop',
  format: 'json',
  takesComments: false,
  container: 'mcpServers',
  files: claudeDesktopFiles,
  local: localEntry,
  remote: () => null,
  next: 'Quit Claude Desktop altogether and start it again.',
};

// https://code.claude.com/docs/en/mcp: the user's own scope, for all projects.
const claudeCode: ConnectableHost = {
  title: 'Claude Code',
  format: 'json',
  takesComments: false,
  container: 'mcpServers',
  files: (machine) => [pathsOf(machine).join(folderOf(machine, 'CLAUDE_CONFIG_DIR') ?? machine.home, '.claude.json')],
  local: (server) => ({ type: 'stdio', ...localEntry(server) }),
  remote: (url) => ({ type: 'http', url }),
  next: 'Start a new session; /mcp shows the server.',
};

// https://cursor.com/docs/mcp
const cursor: ConnectableHost = {
  title: 'Cursor',
  format: 'json',
  takesComments: false,
  container: 'mcpServers',
  files: (machine) => [inHome(machine, '.cursor', 'mcp.json')],
  local: localEntry,
  remote: (url) => ({ url }),
  next: 'Start Cursor again and switch the server on in its settings for MCP.',
};

// https://developers.openai.com/codex/mcp
const codex: ConnectableHost = {
  title: 'Codex',
  format: 'toml',
  takesComments: true,
  container: 'mcp_servers',
  files: (machine) => [
    pathsOf(machine).join(folderOf(machine, 'CODEX_HOME') ?? inHome(machine, '.codex'), 'config.toml'),
  ],
  local: localEntry,
  remote: (url) => ({ url }),
  next: 'Start a new session; /mcp shows the server.',
};

// https://code.visualstudio.com/docs/copilot/reference/mcp-configuration: the default profile of the user.
const vscode: ConnectableHost = {
  title: 'VS Code',
  format: 'json',
  takesComments: true,
  container: 'servers',
  files: (machine) => [pathsOf(machine).join(applicationFolder(machine), 'Code', 'User', 'mcp.json')],
  local: (server) => ({ type: 'stdio', ...localEntry(server) }),
  remote: (url) => ({ type: 'http', url }),
  next: 'Run the command "MCP: List Servers" in VS Code, start the server and trust it.',
};

// https://docs.windsurf.com/windsurf/cascade/mcp
const windsurf: ConnectableHost = {
  title: 'Windsurf',
  format: 'json',
  takesComments: false,
  container: 'mcpServers',
  files: (machine) => [inHome(machine, '.codeium', 'windsurf', 'mcp_config.json')],
  local: localEntry,
  remote: (url) => ({ serverUrl: url }),
  next: 'Refresh the list of MCP servers in the Cascade panel.',
};

/** All hosts by the name that the command line has for them, in the order of the help. */
export const hosts: ReadonlyMap<string, ConnectableHost> = new Map([
  ['claude-desktop', claudeDesktop],
  ['claude-code', claudeCode],
  ['cursor', cursor],
  ['codex', codex],
  ['vscode', vscode],
  ['windsurf', windsurf],
]);
