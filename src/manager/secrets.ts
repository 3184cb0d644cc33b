// Credentials never enter memory (design D8): the rules are secretlint's, the refusal names the rule, never the value.

import { MemoryError } from '../model/errors.ts';

/** A text of a row, with the words that lead a person to it. */
export interface NamedText {
  readonly where: string;
  readonly text: string;
}

const separator = '\n\n';

/** Throws `secret_refused` for the first text that holds a credential. */
export async function refuseSecrets(texts: readonly NamedText[]): Promise<void> {
  if (texts.length === 0) return;
  // Loaded here, since reading never needs it and a server should start without it.
  const [{ lintSource }, preset] = await Promise.all([
    import('@secretlint/core'),
    import('@secretlint/secretlint-rule-preset-recommend'),
  ]);
  const result = await lintSource({
    source: { content: texts.map(({ text }) => text).join(separator), filePath: 'memory.txt', contentType: 'text' },
    options: {
      config: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: preset.creator, rules: [] }] },
      noPhysicFilePath: true,
    },
  });
  const found = result.messages[0];
  if (found === undefined) return;
  const where = textAt(texts, found.range[0]);
  const rule = found.ruleParentId === undefined ? found.ruleId : found.ruleId.split('/').at(-1);
  throw new MemoryError('secret_refused', `${where} looks like it holds a credential (${rule}).`, {
    where,
    rule: rule ?? 'unknown',
  });
}

function textAt(texts: readonly NamedText[], offset: number): string {
  let end = 0;
  for (const { where, text } of texts) {
    end += text.length + separator.length;
    if (offset < end) return where;
  }
  return texts.at(-1)?.where ?? 'A text';
}
