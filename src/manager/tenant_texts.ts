// What a window could show of the rows of an export (design D8): the texts that are searched for credentials.

import type { NamedText } from './secrets.ts';
import { refuseSecrets } from './secrets.ts';
import type { StoredRow } from '../store/rows.ts';
import type { TenantRow } from '../store/tenant_checks.ts';
import type { TenantTable } from '../store/tenant_tables.ts';

/** Columns of which the texts count, whole or as JSON, by table; of events it is what turns say. */
const shown: Readonly<Partial<Record<TenantTable, readonly string[]>>> = {
  guideline_memory: ['guideline_value'],
  persona_memory: ['persona_value'],
  toolbox_memory: ['usage_notes', 'tool_schema'],
  entity_memory: ['content', 'content_json'],
  workflow_memory: ['description', 'steps', 'expected_outcome'],
  summarization_memory: ['title', 'summary', 'key_steps', 'outcome'],
  knowledge_base_document: ['title', 'source_uri'],
  knowledge_base_chunk: ['content'],
  context_compression: ['text'],
};

const mostTexts = 500;
const mostChars = 500_000;

/** A search for credentials in rows, many at a time. Both throw `secret_refused`. */
export interface SecretSearch {
  row(row: TenantRow): Promise<void>;
  end(): Promise<void>;
}

/** A search for credentials in the rows of a file. */
export function searchSecrets(fileName: string): SecretSearch {
  let texts: NamedText[] = [];
  let chars = 0;
  const end = async (): Promise<void> => {
    const searched = texts;
    texts = [];
    chars = 0;
    await refuseSecrets(searched);
  };
  return {
    async row(row) {
      for (const [field, text] of textsOf(row)) {
        texts.push({ where: `${fileName}, line ${row.line}, field ${field},`, text });
        chars += text.length;
      }
      if (texts.length >= mostTexts || chars >= mostChars) await end();
    },
    end,
  };
}

function textsOf({ table, columns }: TenantRow): readonly (readonly [string, string])[] {
  if (table === 'conversation_memory') return turnText(columns);
  return (shown[table] ?? []).flatMap((field) => {
    const value = columns[field] ?? null;
    if (value === null) return [];
    return [[field, typeof value === 'string' ? value : JSON.stringify(value)] as const];
  });
}

function turnText({ turn_index: index, payload }: StoredRow): readonly (readonly [string, string])[] {
  const text: unknown = typeof payload === 'object' && payload !== null && 'text' in payload ? payload.text : null;
  return index === null || typeof text !== 'string' ? [] : [['payload', text]];
}
