// A small strict parser of the memory block: anything that is not exactly the form of A3 throws.

import { unescape } from '../../src/assembly/render/escape.ts';

/** A memory as the block says it, decoded. */
export interface ParsedMemory {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly annotations: readonly string[];
  readonly content: string;
}

// Text without a bare angle bracket or a control but tab and line feed; every ampersand begins an entity of ours.
// oxlint-disable-next-line no-control-regex -- the controls that must not stand in the block
const safeText =
  '(?:[^<>&\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]|&(?:amp|lt|gt);)*';
const open = /<memory id="(B[0-9a-f]{10})" type="([a-z]+)" status="(current|historical|unverified|evidence)">\n/y;
const annotation = new RegExp(
  ` {2}<annotation(?: (?:current_fact_id|contradicted_by)="B[0-9a-f]{10}")?>(${safeText})</annotation>\\n`,
  'y',
);
const content = new RegExp(` {2}<content>(${safeText})</content>\\n</memory>\\n`, 'y');

/** Parses a user message into its memories and the question. */
export function parseUserMessage(message: string): {
  readonly memories: readonly ParsedMemory[];
  readonly question: string;
} {
  if (!message.isWellFormed()) throw new Error('a lone surrogate stands in the message');
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(message);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  const must = (pattern: RegExp): RegExpExecArray => {
    const match = take(pattern);
    if (match === null)
      throw new Error(`no ${pattern.source.slice(0, 40)} at ${JSON.stringify(message.slice(at, at + 80))}`);
    return match;
  };
  must(/<memory_context>\n/y);
  const memories: ParsedMemory[] = [];
  for (let head = take(open); head !== null; head = take(open)) {
    const annotations: string[] = [];
    for (let note = take(annotation); note !== null; note = take(annotation)) annotations.push(unescape(note[1] ?? ''));
    const body = must(content);
    const [, id = '', type = '', status = ''] = head;
    memories.push({ id, type, status, annotations, content: unescape(body[1] ?? '') });
  }
  must(/<\/memory_context>\n\n/y);
  return { memories, question: message.slice(at) };
}
