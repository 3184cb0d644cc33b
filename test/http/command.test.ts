// `http` as an operator runs it: where it listens, what it refuses to start with, how it stops, and in whose process.
import { request } from 'node:http';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { run, temporaryFolder } from '../command/run_program.ts';
import { newerEnvelope, until } from '../protocol/harness.ts';
import { connect, messagesOf, post } from './harness.ts';
import { listen, withoutSignIn, type Listening } from './run_http.ts';

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const undo of cleanUp.splice(0)) undo();
});

/** A running `http` that does not outlive its test. */
async function listening(settings: Readonly<Record<string, string>>): Promise<Listening> {
  const running = await listen(settings);
  cleanUp.push(() => running.child.kill('SIGKILL'));
  return running;
}

const portOf = ({ url }: Listening) => new URL(url).port;

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: newerEnvelope } };
const isDown = async (url: string) => (await fetch(url).catch(() => null)) === null;

/** Begins a request whose body is not yet whole. */
function halfSent(url: string): { readonly answer: Promise<string>; finish(): void } {
  const text = JSON.stringify(list);
  const headers = {
    'content-type': 'application/json',
    'content-length': text.length,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/list',
  };
  let finish = () => {};
  const answer = new Promise<string>((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers }, (response) => {
      let heard = '';
      response.setEncoding('utf8').on('data', (part: string) => (heard += part));
      response.once('end', () => resolve(heard));
    });
    asked.on('error', reject);
    asked.write(text.slice(0, 10));
    finish = () => void asked.end(text.slice(10));
  });
  return { answer, finish: () => finish() };
}

describe('http', () => {
  it('[I4] serves without sign-in on this machine, says so loudly, and drains at SIGTERM', async () => {
    const server = await listening({ CONTEXT_DATA_DIR: ':memory:' });
    await server.said('NO SIGN-IN: whoever can reach this address is user jane of tenant acme.');
    const host = await connect('older', { url: server.url });
    const { tools } = await host.request<{ tools: readonly object[] }>('tools/list');
    expect(tools).toHaveLength(4);
    await host.close();
    const half = halfSent(server.url);
    await new Promise((resolve) => setTimeout(resolve, 100));
    server.child.kill('SIGTERM');
    await server.said('Stopping');
    await until(() => isDown(server.url));
    half.finish();
    expect(await half.answer).toContain('search_memory');
    const { code, stdout, stderr } = await server.ended;
    expect([code, stdout.trim().split('\n').length]).toEqual([0, 1]);
    // Without another level it logs each request.
    expect(stderr).toContain('"msg":"a request was answered"');
  }, 120_000);

  it('[I4] does not start where nobody would be kept out, and names the variable', async () => {
    const { code, stderr } = await run(['http'], {
      ...withoutSignIn,
      CONTEXT_DATA_DIR: ':memory:',
      CONTEXT_HOST: '0.0.0.0',
    });
    expect([code, stderr]).toEqual([3, expect.stringContaining('CONTEXT_HOST is 0.0.0.0, which others can reach')]);
  });
});

describe('http on a shared folder', () => {
  const { path, discard } = temporaryFolder();
  afterAll(discard);
  const settings = { CONTEXT_DATA_DIR: path };

  it('[N7] runs in the process that holds it, shows here, and ends with Ctrl-C and with `stop`', async () => {
    const server = await listening(settings);
    await server.said('Listening on');
    expect((await messagesOf(await post(server.url, list)))[0]).toMatchObject({ result: { tools: expect.any(Array) } });
    await server.said('"msg":"a request was answered"');
    const taken = await run(['http'], { ...withoutSignIn, ...settings, CONTEXT_PORT: portOf(server) });
    expect([taken.code, taken.stderr]).toEqual([3, expect.stringContaining('where another program listens')]);
    server.child.kill('SIGINT');
    expect(await server.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('Stopping') });
    expect(await isDown(server.url)).toBe(true);

    const next = await listening(settings);
    expect((await run(['stop'], settings)).code).toBe(0);
    expect((await next.ended).code).toBe(0);
    expect(await isDown(next.url)).toBe(true);
  }, 120_000);
});
