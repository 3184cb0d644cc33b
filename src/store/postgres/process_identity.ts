// Which process holds something, and whether it can be proven dead: by host, boot, pid namespace and start, not by age.

import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process, so named that no other one ever is it. Null where the system does not say. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string | null;
  readonly bootId: string | null;
  readonly pidNamespace: string | null;
  readonly host: string;
}

/** What is known of a holder. `unknowable`: it lives on another host or in another pid namespace. */
export type HolderState = 'alive' | 'dead' | 'unknowable';

/** This process. */
export function currentProcess(): ProcessIdentity {
  return {
    pid: process.pid,
    startTime: startTimeOf(process.pid),
    bootId: bootId(),
    pidNamespace: quiet(() => readlinkSync('/proc/self/ns/pid')),
    host: hostname(),
  };
}

/** Judges a holder from where this process stands. */
export function judgeHolder(holder: ProcessIdentity, self: ProcessIdentity): HolderState {
  if (holder.host !== self.host) return 'unknowable';
  // Nothing survives a boot of its host, whatever namespace it was in.
  if (holder.bootId !== null && self.bootId !== null && holder.bootId !== self.bootId) return 'dead';
  if (holder.pidNamespace !== self.pidNamespace) return 'unknowable';
  if (!isRunning(holder.pid)) return 'dead';
  const start = startTimeOf(holder.pid);
  return holder.startTime !== null && start !== null && holder.startTime !== start ? 'dead' : 'alive';
}

function quiet<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}

function command(file: string, ...args: readonly string[]): string | null {
  const text = quiet(() => execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim());
  return text === '' ? null : text;
}

function bootId(): string | null {
  if (process.platform === 'linux') {
    return quiet(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  }
  return process.platform === 'darwin' ? command('sysctl', '-n', 'kern.bootsessionuuid') : null;
}

/** Fields of /proc/<pid>/stat after the name, which may hold spaces and brackets: state first. */
function statFields(pid: number): readonly string[] | null {
  const text = quiet(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function startTimeOf(pid: number): string | null {
  if (process.platform === 'linux') return statFields(pid)?.[19] ?? null;
  return process.platform === 'darwin' ? command('ps', '-o', 'lstart=', '-p', String(pid)) : null;
}

function isRunning(pid: number): boolean {
  if (process.platform === 'linux') {
    const state = statFields(pid)?.[0];
    // A process that ended and that nobody has waited for has released all it held.
    return state !== undefined && state !== 'Z' && state !== 'X';
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
