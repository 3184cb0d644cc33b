// Records turns for ever and says each place that was acknowledged: a process to be killed. Usage: record_turns.ts FOLDER
import { createMemoryManager } from '../../src/library.ts';

const memory = await createMemoryManager({ dataDirectory: process.argv[2] ?? '', userId: 'ann' });
for (let turn = 0; ; turn += 1) {
  const role = turn % 2 === 0 ? 'user' : 'assistant';
  const { turnIndex } = await memory.recordTurn(memory.call(), { role, text: `Turn ${turn}`, runId: null });
  process.stdout.write(`${turnIndex}\n`);
}
