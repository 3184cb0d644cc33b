// The library: the manager in a host's own process, with the same methods and the same bounds.
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryManager } from '../../src/library.ts';
import type { LibraryManager } from '../../src/library.ts';
import { runJson, storeTemplate, temporaryFolder } from './run_program.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).toReversed()) await undo();
});

async function opened(config: Parameters<typeof createMemoryManager>[0]): Promise<LibraryManager> {
  const manager = await createMemoryManager(config);
  cleanUp.push(() => manager.close());
  return manager;
}

describe('createMemoryManager', () => {
  it('gives the methods of the manager, and calls for any principal of the host', async () => {
    const folder = temporaryFolder();
    cleanUp.push(folder.discard);
    const dataDirectory = join(folder.path, 'data');
    const template = await storeTemplate([['seed']]);
    cleanUp.push(template.discard);
    template.copy(dataDirectory);
    const manager = await opened({ dataDirectory, tenantId: 'acme', agentId: 'research-assistant' });
    const call = manager.call({ userId: 'jane', threadId: 'library', roles: ['researcher'] });
    const question = { question: 'What does Helios-RAG score on BEIR?', intent: null, at: null, model: null };
    const window = await manager.assembleWindow(call, question);
    expect(window.request.messages.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('0.78') });
    expect((await manager.recentManifests(call, 1))[0]?.manifest).toEqual(window.manifest);
    const sam = await manager.recentManifests(manager.call({ userId: 'sam' }), 10);
    expect(sam).toEqual([]);

    const held = await runJson(['init'], { CONTEXT_DATA_DIR: dataDirectory });
    expect(held.json.error).toMatchObject({
      code: 'store_locked',
      message: expect.stringContaining(String(process.pid)),
    });
    await manager.close();
    expect((await runJson(['manifest'], { CONTEXT_DATA_DIR: dataDirectory })).code).toBe(0);
  });

  it('never acts as operator: a tenant without rows stays without', async () => {
    const manager = await opened({ dataDirectory: ':memory:', tenantId: 'nobody' });
    expect(await manager.listTools(manager.call())).toEqual([]);
    await expect(
      manager.assembleWindow(manager.call(), { question: 'x', intent: null, at: null, model: null }),
    ).rejects.toMatchObject({ name: 'MemoryError' });
  });

  it('refuses an id that cannot be', async () => {
    const manager = await opened({ dataDirectory: ':memory:' });
    expect(() => manager.call({ userId: '' })).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });
});
