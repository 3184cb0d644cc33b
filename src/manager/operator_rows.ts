// Checks of rows that an operator writes: tools that would not be listed, and the texts that may hold a credential.

import { MemoryError } from '../model/errors.ts';
import type { NewRow } from '../store/written_rows.ts';
import type { NamedText } from './secrets.ts';
import { toolProblem } from './toolbox.ts';

/** A tool that would be left out when read is refused when written. Throws `invalid_seed`. */
export function checkTools(rows: readonly NewRow[]): void {
  for (const row of rows) {
    if (row.type !== 'toolbox') continue;
    const problem = toolProblem(row);
    if (problem !== null) {
      throw new MemoryError('invalid_seed', `Tool "${row.name}" (${row.id}): ${problem}.`, { id: row.id });
    }
  }
}

/** Every text of a row that can enter a window, named so that a person finds it. */
export function rowTexts(row: NewRow): readonly NamedText[] {
  const where = (field: string) => `${row.type} ${row.id}, field ${field},`;
  switch (row.type) {
    case 'guideline':
    case 'persona':
      return [{ where: where(`${row.type}_value`), text: JSON.stringify(row.value) }];
    case 'toolbox':
      return [{ where: where('usage_notes'), text: `${row.usageNotes}\n${JSON.stringify(row.schema)}` }];
    case 'entity':
      return [{ where: where('content'), text: `${row.content}\n${JSON.stringify([row.value, row.conditions])}` }];
    case 'workflow':
      return [{ where: where('steps'), text: [row.description, ...row.steps, row.expectedOutcome ?? ''].join('\n') }];
    case 'summary':
      return [{ where: where('summary'), text: [row.summary, ...row.keySteps, row.outcome ?? ''].join('\n') }];
    case 'conversation':
      return [{ where: where('text'), text: row.text }];
    case 'document':
      return row.chunks.map((chunk) => ({ where: `chunk ${chunk.id}, field content,`, text: chunk.content }));
    default:
      throw row satisfies never;
  }
}
