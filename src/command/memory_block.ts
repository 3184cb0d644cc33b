// The user message as a person reads it: the memory block with its marks in colour, then the question.

import type { ChatRequest } from '../model/window.ts';
import type { Print } from './print.ts';
import { plain } from './print.ts';
import { printHeading } from './window_view.ts';

/** The text of the last user message: the memory block, an empty line, the question. */
export function userMessage(request: ChatRequest): string {
  const message = request.messages.findLast(({ role }) => role === 'user');
  return message?.role === 'user' ? message.content : '';
}

/** Prints the user message as the model gets it; colour apart, byte for byte. */
export function printMemoryBlock(print: Print, request: ChatRequest): void {
  printHeading(print, 'What the model reads after the static prefix');
  for (const line of plain(userMessage(request)).split('\n')) print.line(painted(print, line));
}

// Only our own marks are coloured; what a memory says can hold no tag, because its text is escaped.
function painted(print: Print, line: string): string {
  return line
    .replace(
      /(<annotation\b[^>]*>)(.*?)(<\/annotation>)/g,
      (_, open: string, text: string, close: string) =>
        print.paint('faint', open) + print.paint('warning', text) + print.paint('faint', close),
    )
    .replace(
      /(<memory id=")(B[0-9a-f]{10})("[^>]*>)/g,
      (_, open: string, id: string, rest: string) =>
        print.paint('faint', open) + print.paint('id', id) + print.paint('faint', rest),
    )
    .replace(/<\/?(?:memory_context|memory|content)>/g, (tag) => print.paint('faint', tag));
}
