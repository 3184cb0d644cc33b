// Where each host keeps its file on each system, and how it wants a server named.
import { describe, expect, it } from 'vitest';
import { hosts } from '../../src/connect/hosts.ts';
import type { HostMachine } from '../../src/connect/hosts.ts';

const linux: HostMachine = { platform: 'linux', home: '/home/ada', environment: {}, storePackages: [] };
const mac: HostMachine = { ...linux, platform: 'darwin', home: '/Users/ada' };
const windows: HostMachine = {
  platform: 'win32',
  home: 'C:\\Users\\ada',
  environment: {
    APPDATA: 'C:\\Users\\ada\\AppData\\Roaming',
    LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local',
    XDG_CONFIG_HOME: '/ignored',
  },
  storePackages: ['Microsoft.Thing_8wekyb', 'ClaudeOther'],
};

const filesOf = (id: string, machine: HostMachine) => hosts.get(id)?.files(machine);

describe('the file of a host', () => {
  it.each([
    ['claude-desktop', linux, '/home/ada/.config/Claude/claude_desktop_config.json'],
    ['claude-desktop', mac, '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json'],
    ['claude-desktop', windows, 'C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json'],
    ['claude-code', linux, '/home/ada/.claude.json'],
    ['claude-code', mac, '/Users/ada/.claude.json'],
    ['claude-code', windows, 'C:\\Users\\ada\\.claude.json'],
    ['cursor', linux, '/home/ada/.cursor/mcp.json'],
    ['cursor', mac, '/Users/ada/.cursor/mcp.json'],
    ['cursor', windows, 'C:\\Users\\ada\\.cursor\\mcp.json'],
    ['codex', linux, '/home/ada/.codex/config.toml'],
    ['codex', mac, '/Users/ada/.codex/config.toml'],
    ['codex', windows, 'C:\\Users\\ada\\.codex\\config.toml'],
    ['vscode', linux, '/home/ada/.config/Code/User/mcp.json'],
    ['vscode', mac, '/Users/ada/Library/Application Support/Code/User/mcp.json'],
    ['vscode', windows, 'C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json'],
    ['windsurf', linux, '/home/ada/.codeium/windsurf/mcp_config.json'],
    ['windsurf', mac, '/Users/ada/.codeium/windsurf/mcp_config.json'],
    ['windsurf', windows, 'C:\\Users\\ada\\.codeium\\windsurf\\mcp_config.json'],
  ] as const)('%s on %j is %s', (id, machine, file) => expect(filesOf(id, machine)).toEqual([file]));

  it('follows the variables that move it, when they name a full path', () => {
    const moved = { XDG_CONFIG_HOME: '/etc/ada', CODEX_HOME: '/srv/codex', CLAUDE_CONFIG_DIR: '/srv/claude' };
    const there = { ...linux, environment: moved };
    expect(filesOf('claude-desktop', there)).toEqual(['/etc/ada/Claude/claude_desktop_config.json']);
    expect(filesOf('vscode', there)).toEqual(['/etc/ada/Code/User/mcp.json']);
    expect(filesOf('codex', there)).toEqual(['/srv/codex/config.toml']);
    expect(filesOf('claude-code', there)).toEqual(['/srv/claude/.claude.json']);
    const relative = { ...linux, environment: { XDG_CONFIG_HOME: 'etc', CODEX_HOME: '', CLAUDE_CONFIG_DIR: '.' } };
    for (const id of ['claude-desktop', 'vscode', 'codex', 'claude-code']) {
      expect(filesOf(id, relative)).toEqual(filesOf(id, linux));
    }
  });

  it('is found on Windows without APPDATA too', () => {
    expect(filesOf('vscode', { ...windows, environment: {} })).toEqual(filesOf('vscode', windows));
  });

  it('is that of the app from the store where Claude Desktop is one, and nobody guesses between two', () => {
    const packages = 'C:\\Users\\ada\\AppData\\Local\\Packages';
    const file = 'LocalCache\\Roaming\\Claude\\claude_desktop_config.json';
    const one = { ...windows, storePackages: ['Claude_pzs8sxrjxfjjc', 'Other_1'] };
    expect(filesOf('claude-desktop', one)).toEqual([`${packages}\\Claude_pzs8sxrjxfjjc\\${file}`]);
    expect(filesOf('claude-desktop', { ...one, storePackages: ['Claude_a', 'Claude_b'] })).toHaveLength(2);
    expect(filesOf('claude-desktop', { ...linux, storePackages: ['Claude_a'] })).toEqual(
      filesOf('claude-desktop', linux),
    );
  });
});

describe('an entry', () => {
  const server = { command: '/usr/bin/node', args: ['/opt/memory/main.js', 'stdio'], env: { A: 'b' } };

  it.each([
    ['claude-desktop', {}],
    ['claude-code', { type: 'stdio' }],
    ['cursor', {}],
    ['codex', {}],
    ['vscode', { type: 'stdio' }],
    ['windsurf', {}],
  ])('of %s starts the program with its variables', (id, more) => {
    expect(hosts.get(id)?.local(server)).toEqual({ ...server, ...more });
    expect(hosts.get(id)?.local({ ...server, env: {} })).not.toHaveProperty('env');
  });

  it.each([
    ['claude-desktop', null],
    ['claude-code', { type: 'http', url: 'https://a.example/mcp' }],
    ['cursor', { url: 'https://a.example/mcp' }],
    ['codex', { url: 'https://a.example/mcp' }],
    ['vscode', { type: 'http', url: 'https://a.example/mcp' }],
    ['windsurf', { serverUrl: 'https://a.example/mcp' }],
  ])('of %s for an address is %j', (id, entry) =>
    expect(hosts.get(id)?.remote('https://a.example/mcp')).toEqual(entry),
  );
});
