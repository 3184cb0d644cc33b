// Golden windows and manifests (design 3): the same inputs give the same bytes, and a change is made on purpose.

import { beforeAll, describe, expect, it } from 'vitest';
import { assemble } from '../src/assembly/assemble.ts';
import { MemoryError } from '../src/model/errors.ts';
import type { CountTokens } from '../src/model/window.ts';
import { loadTokenizer } from '../src/tokens/tokenizer.ts';
import { goldenCases, goldenInput, type GoldenCase } from './golden_cases.ts';

let countTokens: CountTokens;

beforeAll(async () => {
  countTokens = await loadTokenizer();
});

function outcome(golden: GoldenCase): string {
  try {
    const { request, manifest } = assemble(goldenInput(golden, countTokens));
    const messages = request.messages.map((message) => `=== ${message.role}\n${message.content ?? ''}`);
    // The code's own hash changes with every comment; what it stands for is pinned by these bytes.
    const shown = { ...manifest, code_hash: 'of the code that ran' };
    return `${messages.join('\n\n')}\n\n=== tools\n${JSON.stringify(request.tools, null, 1)}\n\n=== manifest\n${JSON.stringify(shown, null, 1)}\n`;
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    return `=== refused\n${error.code}\n${error.message}\n${JSON.stringify(error.data, null, 1)}\n`;
  }
}

describe('golden windows', () => {
  it.each(goldenCases.map((golden) => [golden.title, golden] as const))('%s', async (_, golden) => {
    await expect(outcome(golden)).toMatchFileSnapshot(`golden/${golden.name}.txt`);
  });
});
