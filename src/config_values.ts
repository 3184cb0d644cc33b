// What a variable of the environment may be, where several are alike, and how a wrong one is told.

import { z } from 'zod';

const longestIdBytes = 255;

/** A tenant, user, agent, thread, role or model: text of 1 to 255 bytes without control characters. */
export const id = z
  .string()
  .min(1, 'is empty')
  .refine((text) => new TextEncoder().encode(text).length <= longestIdBytes, `is longer than ${longestIdBytes} bytes`)
  .refine((text) => !/\p{Cc}/u.test(text), 'holds a control character');

/** A value as a sentence may show it. */
function quoted(input: unknown): string {
  return JSON.stringify(String(input).slice(0, 60));
}

/** One value of a closed list; what else it may be is said. */
export function oneOf<const Value extends string>(values: readonly [Value, ...Value[]]) {
  return z.enum(values, {
    error: ({ input }) => `is ${quoted(input)}, but must be ${values.join(', ').replace(/, ([^,]*)$/, ' or $1')}`,
  });
}
