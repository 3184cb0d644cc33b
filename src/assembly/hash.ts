// Hashes of the assembly: SHA-256 over UTF-8 text or over canonical JSON (RFC 8785).

import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { fullText } from '../model/memory_text.ts';
import type { Memory } from '../model/memory.ts';

/** SHA-256 of UTF-8 text, 64 lowercase hex digits. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

/** JSON by RFC 8785: keys in code-unit order, no white space. Throws on values that JSON cannot hold. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}

/** SHA-256 of the canonical JSON of a value. */
export function canonicalHash(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}

/** The hash of a memory's canonical text: a compression or token count of another text is stale. */
export function contentHash(memory: Memory): string {
  return sha256Hex(fullText(memory));
}
