// Asks a person before something that cannot be taken back, or that surprises.

import { createInterface } from 'node:readline/promises';
import { UsageError } from './arguments.ts';
import type { Context } from './command.ts';

/** True when the person typed yes. Throws UsageError with `nobody` where there is no person to ask. */
export async function confirm(
  context: Context,
  asked: { readonly question: string; readonly nobody: string },
): Promise<boolean> {
  const { stdin } = context;
  if (stdin.isTTY !== true || context.json) throw new UsageError(asked.nobody);
  const reader = createInterface({ input: stdin, output: process.stderr });
  try {
    const answer = await reader.question(asked.question, { signal: context.signal });
    return answer.trim().toLowerCase() === 'yes';
  } finally {
    reader.close();
  }
}
