// Hashes that the store keeps beside content: a derived row of another text is stale.

import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { JsonObject } from '../model/json.ts';
import type { Memory } from '../model/memory.ts';
import { fullText } from '../model/memory_text.ts';

/** SHA-256 of UTF-8 text, 64 lowercase hex digits. */
export function textHash(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** The hash of a memory's canonical text. */
export function memoryHash(memory: Memory): string {
  return textHash(fullText(memory));
}

/** SHA-256 of canonical JSON (RFC 8785). */
export function jsonHash(value: unknown): string {
  return textHash(canonicalize(value) ?? 'null');
}

/** The hash that tells conditions apart; a claim without conditions, or with empty ones, has none. */
export function conditionsHash(conditions: JsonObject | null): string | null {
  return conditions === null || Object.keys(conditions).length === 0 ? null : jsonHash(conditions);
}
