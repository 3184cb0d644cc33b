// Which addresses are safe to ask or to listen on: those of this machine, and those whose answers nobody changes on the way.

import { isIP } from 'node:net';

/** Whether a host name, an IPv4 or an IPv6 address (with or without brackets) names this machine and nothing beyond it. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** Whether an address is one of this machine. The address must be a URL. */
export function isLoopbackAddress(address: string): boolean {
  return isLoopbackHost(new URL(address).hostname);
}

/** Whether an address is https, or http on the machine itself, and holds neither a password nor a fragment. */
export function isSafeAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password, hash } = new URL(address);
  if (username !== '' || password !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackAddress(address));
}
