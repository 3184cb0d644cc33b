// Citation ids (design A4): the same memory has the same id in every window.

import { citationId, type CitationId } from '../../model/ids.ts';
import type { Ref } from '../../model/memory.ts';
import { sha256Hex } from '../hash.ts';

/** `B` and the first ten hex digits of SHA-256 over the compact JSON `[type, row id, version]`. */
export function citationIdOf(ref: Ref): CitationId {
  return citationId(`B${sha256Hex(JSON.stringify([ref[0], ref[1], ref[2]])).slice(0, 10)}`);
}
