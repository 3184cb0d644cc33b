// Where verification keys are published: named by the issuer's own metadata, at an address, or in a file (design I1).

import { readFile, stat } from 'node:fs/promises';
import { isLoopbackAddress, isSafeAddress } from './address.ts';
import { fetchDocument, readFailure } from './fetch_document.ts';
import type { ReadLimits } from './fetch_document.ts';

/** Where the key set (JWKS) of the issuer is: found by discovery, at an address, or in a file. */
export type KeyPlace =
  | { readonly kind: 'discovery' }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string };

/** Reads the text of the key set. Throws an `Error` whose message is for the log. */
export type LoadKeys = () => Promise<string>;

/** How the key set of an issuer is read from its place. */
export function keyLoader(place: KeyPlace, issuer: string, limits: ReadLimits): LoadKeys {
  switch (place.kind) {
    case 'discovery':
      return () => discoverAndFetch(issuer, limits.longestBytes, AbortSignal.timeout(limits.deadlineMs));
    case 'url':
      return () => fetchDocument(place.url, limits.longestBytes, AbortSignal.timeout(limits.deadlineMs));
    case 'file':
      return () => readKeyFile(place.path, limits.longestBytes);
    default:
      throw place satisfies never;
  }
}

/**
 * Addresses of an issuer's metadata, in the order they are tried: RFC 8414, then OpenID with the path after the well
 * known part, then OpenID with the path before it.
 */
export function metadataAddresses(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    ...new Set([
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ]),
  ];
}

// The address is asked for again at each reading: a provider may move its keys.
async function discoverAndFetch(issuer: string, longestBytes: number, signal: AbortSignal): Promise<string> {
  const failures: string[] = [];
  for (const address of metadataAddresses(issuer)) {
    try {
      const keys = keysAddress(JSON.parse(await fetchDocument(address, longestBytes, signal)), issuer);
      return await fetchDocument(keys, longestBytes, signal);
    } catch (error) {
      failures.push(`${new URL(address).pathname}: ${readFailure(error)}`);
      if (signal.aborted) break;
    }
  }
  throw new Error(failures.join('; '));
}

/**
 * The address of the key set in an issuer's metadata. Whoever answers for another issuer, or names an address where
 * others could answer, is not believed: throws an `Error` whose message is for the log.
 */
export function keysAddress(metadata: unknown, issuer: string): string {
  if (typeof metadata !== 'object' || metadata === null) throw new Error('no metadata');
  if (!('issuer' in metadata) || metadata.issuer !== issuer) throw new Error('metadata of another issuer');
  const address = 'jwks_uri' in metadata ? metadata.jwks_uri : undefined;
  if (typeof address !== 'string') throw new Error('metadata without jwks_uri');
  if (!isSafeAddress(address) || (isLoopbackAddress(address) && !isLoopbackAddress(issuer)))
    throw new Error('an unsafe jwks_uri');
  return address;
}

async function readKeyFile(path: string, longestBytes: number): Promise<string> {
  const about = await stat(path);
  // A pipe would be waited for, and has no size.
  if (!about.isFile()) throw new Error('not a file');
  if (about.size > longestBytes) throw new Error(`more than ${longestBytes} bytes`);
  return readFile(path, 'utf8');
}
