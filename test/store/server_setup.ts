// Before the tests: one PostgreSQL server for the whole run, unless TEST_DATABASE_OWNER_URL names one whose login may
// make databases and roles. Where none can be had the tests that need it are skipped, loudly; in CI the run fails.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { TestServer } from './server_session.ts';
import { serverScript } from './server_script.ts';

/** Starts the server; what it returns ends it. */
export default async function setUp(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env['TEST_DATABASE_OWNER_URL'];
  if (given !== undefined && given !== '') {
    project.provide('testServer', { administrator: given });
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'context-server-'));
  const { server, stop } = await startServer(folder);
  project.provide('testServer', server);
  return stop;
}

async function startServer(
  folder: string,
): Promise<{ readonly server: TestServer; readonly stop: () => Promise<void> }> {
  const remove = async (): Promise<void> => rmSync(folder, { recursive: true, force: true });
  try {
    const { administrator = '' } = await serverScript('start', folder);
    const stop = async (): Promise<void> => {
      await serverScript('stop', folder, 'immediate');
      await remove();
    };
    return { server: { administrator }, stop };
  } catch (error) {
    const missing = error instanceof Error ? error.message : String(error);
    if (process.env['CI'] === 'true') throw new Error(`no PostgreSQL server to test on: ${missing}`, { cause: error });
    console.warn(`\nSKIPPED: all tests of the PostgreSQL server, because it could not be set up: ${missing}\n`);
    return { server: { missing }, stop: remove };
  }
}
