// Reads back what a request showed (design A3, T5): memories of the block and of tool results, decoded exactly.

import { unescape } from '../assembly/render/escape.ts';
import type { Status } from '../model/candidate.ts';
import { isCitationId } from '../model/ids.ts';
import type { ChatRequest } from '../model/window.ts';

/** One memory as one place of a request showed it. */
export interface ShownElement {
  readonly id: string;
  readonly type: string;
  readonly status: Status;
  /** The content; in a tool result also title, source and date. */
  readonly text: string;
  /** Ids and sentences of the corrections that it carries. */
  readonly corrections: readonly { readonly currentId: string | null; readonly text: string }[];
}

/** Everything that a request showed, in its order; an id may come several times. */
export function shownElements(request: ChatRequest): readonly ShownElement[] {
  return request.messages.flatMap((message): readonly ShownElement[] => {
    if (message.role === 'user') return elementsOf(message.content);
    return message.role === 'tool' ? resultMemories(message.content) : [];
  });
}

const open = /<memory id="(B[0-9a-f]{10})" type="([a-z]+)" status="(current|historical|unverified|evidence)">\n/y;
const annotation = / {2}<annotation(?: (current_fact_id|contradicted_by)="(B[0-9a-f]{10})")?>([^<]*)<\/annotation>\n/y;
const content = / {2}<content>([^<]*)<\/content>\n<\/memory>\n/y;

/** The elements of a memory block. What stands behind the block is the caller's question and is not looked at. */
function elementsOf(message: string): readonly ShownElement[] {
  const begin = '<memory_context>\n';
  const elements: ShownElement[] = [];
  if (!message.startsWith(begin)) return elements;
  let at = begin.length;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(message);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  for (let head = take(open); head !== null; head = take(open)) {
    const corrections: ShownElement['corrections'][number][] = [];
    for (let note = take(annotation); note !== null; note = take(annotation)) {
      const [, name, id, text = ''] = note;
      if (name !== 'contradicted_by') corrections.push({ currentId: id ?? null, text: unescape(text) });
    }
    const body = take(content);
    if (body === null) return elements;
    const [, id = '', type = '', status = ''] = head;
    elements.push({ id, type, status: status as Status, text: unescape(body[1] ?? ''), corrections });
  }
  return elements;
}

const statuses: readonly string[] = ['current', 'historical', 'unverified', 'evidence'] satisfies readonly Status[];

/** The memories of a tool result's text block; a message that holds no such JSON showed none. */
function resultMemories(text: string): readonly ShownElement[] {
  const memories = member(parsed(text), 'memories');
  if (!Array.isArray(memories)) return [];
  return memories.flatMap((memory: unknown): readonly ShownElement[] => {
    const id = textOf(memory, 'id');
    const status = textOf(memory, 'status');
    if (!isCitationId(id) || !statuses.includes(status)) return [];
    const provenance = member(memory, 'provenance');
    const beside = ['title', 'source', 'date'].map((name) => textOf(provenance, name)).filter((part) => part !== '');
    const annotations: unknown = member(memory, 'annotations');
    return [
      {
        id,
        type: textOf(memory, 'type'),
        status: status as Status,
        text: [textOf(memory, 'content'), ...beside].join('\n\n'),
        corrections: Array.isArray(annotations) ? annotations.flatMap(correctionOf) : [],
      },
    ];
  });
}

function correctionOf(note: unknown): ShownElement['corrections'] {
  if (member(note, 'contradicted_by') !== undefined) return [];
  const id = textOf(note, 'current_fact_id');
  return [{ currentId: id === '' ? null : id, text: textOf(note, 'text') }];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function textOf(value: unknown, name: string): string {
  const found = member(value, name);
  return typeof found === 'string' ? found : '';
}
