// Who is let in over HTTP: tokens and scopes, the documents that say where to get them, names and pages, health.
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFixture, operatorCall, scopeOf, type Fixture } from '../fixture.ts';
import { newerEnvelope } from '../protocol/harness.ts';
import {
  audience,
  beginSession,
  jane,
  messagesOf,
  openHttp,
  tokenOf,
  type HttpFixture,
  type Identity,
} from './harness.ts';

let fixture: Fixture;
let served: HttpFixture;
beforeAll(async () => {
  fixture = await openFixture({ seeds: ['acme_policy.json', 'corpus_research.json', 'globex.json'] });
  served = await openHttp(fixture, { allowedOrigins: ['https://app.example.com'] });
  const row = {
    tool_schema: { type: 'object', properties: { query: { type: 'string' } }, additionalProperties: false },
    tool_handler: 'search_memory',
    usage_notes: 'Finds passages.',
  };
  const toolbox = [
    { ...row, tool_name: 'guarded', access_policy: { scopes: ['memory:deep', 'memory:all'] } },
    { ...row, tool_name: 'for_auditors', access_policy: { roles: ['auditor'] } },
  ];
  await fixture.operator.apply(operatorCall('acme'), 'tools.json', { toolbox });
});
afterAll(async () => {
  await served.close();
  await fixture.close();
});

const metadata = 'https://memory.example.com/.well-known/oauth-protected-resource/mcp';
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: newerEnvelope } };
const callOf = (name: string, args: object = { query: 'eviction' }) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args, _meta: newerEnvelope },
});
const base = () => served.url.replace('/mcp', '');
const namesIn = (message: Record<string, unknown> | undefined) =>
  (message as { readonly result: { readonly tools: readonly { readonly name: string }[] } }).result.tools.map(
    ({ name }) => name,
  );

/** A request whose Host header fetch would not let us choose. */
function statusAs(host: string, path = '/mcp'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${tokenOf()}` };
    const asked = request(`${base()}${path}`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject).end();
  });
}

describe('a token', () => {
  it('[I1] that is missing is asked for without an error, and the document is named', async () => {
    for (const headers of [{}, { 'mcp-session-id': 'x' }]) {
      const response = await served.post(list, { identity: null, headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${metadata}"`);
    }
    expect((await fetch(served.url)).status).toBe(401);
    expect((await fetch(served.url, { method: 'DELETE' })).status).toBe(401);
  });

  it('[I1] that is garbage or has ended is refused as invalid', async () => {
    const garbage = { identity: null, headers: { authorization: 'Bearer abc' } };
    for (const options of [garbage, { identity: { ...jane, endsIn: -10 } }]) {
      const response = await served.post(list, options);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(
        /^Bearer error="invalid_token", error_description="The token [^"]+", resource_metadata="[^"]+"$/,
      );
    }
  });

  it('[I1] that nobody can judge is neither believed nor called wrong', async () => {
    served.verifier.isAway = true;
    const response = await served.post(list);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '7']);
    const ready = async () => (await fetch(`${base()}/readyz`)).status;
    await expect.poll(ready).toBe(503);
    served.verifier.isAway = false;
    await expect.poll(ready, { timeout: 3_000 }).toBe(200);
    expect((await served.post(list)).status).toBe(200);
  });

  it('[I1] is judged anew with each request of a session', async () => {
    const session = { 'mcp-session-id': await beginSession(served.url) };
    const older = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const ask = (identity: Identity) => served.post(older, { headers: session, identity });
    expect((await ask(jane)).status).toBe(200);
    expect((await ask({ ...jane, endsIn: -1 })).status).toBe(401);
    expect(namesIn((await messagesOf(await ask({ ...jane, roles: ['auditor'] })))[0])).toContain('for_auditors');
    expect(namesIn((await messagesOf(await ask(jane)))[0])).not.toContain('for_auditors');
  });

  it('[I1] that lacks a scope which every token needs is refused with the scopes', async () => {
    const strict = await openHttp(fixture, { resource: { scopes: ['memory:read', 'memory:use'] } });
    const lacking = await strict.post(list, { identity: { ...jane, scopes: ['memory:read'] } });
    expect(lacking.status).toBe(403);
    expect(lacking.headers.get('www-authenticate')).toContain(
      'error="insufficient_scope", error_description="The token lacks a scope that this needs.", scope="memory:read memory:use"',
    );
    const missing = await strict.post(list, { identity: null });
    expect(missing.headers.get('www-authenticate')).toContain('Bearer scope="memory:read memory:use"');
    const scopes = ['memory:use', 'memory:read', 'other'];
    expect((await strict.post(list, { identity: { ...jane, scopes } })).status).toBe(200);
    await strict.close();
  });
});

describe('a tool that wants a scope', () => {
  const calls = async () => {
    const options = { requestId: 'look', evaluationTime: null };
    const scope = scopeOf({ user: 'stella', thread: 'default' });
    const events = await fixture.store.read(scope, options, (reader) => reader.recentEvents(['tool_call'], 5));
    return events.map(({ payload }) => payload);
  };
  const stella: Identity = { ...jane, user: 'stella' };

  it('[T2] is listed, and a call without it steps up before anything runs', async () => {
    const [listed] = await messagesOf(await served.post(list, { identity: stella }));
    expect(namesIn(listed)).toContain('guarded');
    const response = await served.post(callOf('guarded', { query: 'a secret question' }), { identity: stella });
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", error_description="The token lacks a scope that this needs.", scope="memory:deep memory:all", resource_metadata="${metadata}"`,
    );
    const [event] = await calls();
    expect(event).toMatchObject({ tool: 'guarded', outcome: 'denied', code: 'tool_denied', arguments: null });
    expect(JSON.stringify(event)).not.toContain('secret');
  });

  it('[T2] steps up in a session of the older era too, also with progress asked for', async () => {
    const session = { 'mcp-session-id': await beginSession(served.url, stella) };
    const { _meta: _, ...params } = callOf('guarded').params;
    const body = { ...callOf('guarded'), params: { ...params, _meta: { progressToken: 1 } } };
    const response = await served.post(body, { identity: stella, headers: session });
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toContain('scope="memory:deep memory:all"');
    const again = await served.post(body, { identity: { ...stella, scopes: ['memory:all'] }, headers: session });
    expect(again.status).toBe(200);
  });

  it('[T2] serves a token that has one of them', async () => {
    const scopes = ['memory:deep'];
    const response = await served.post(callOf('guarded'), { identity: { ...stella, user: 'stan', scopes } });
    const [answer] = await messagesOf(response);
    expect(answer).toMatchObject({ result: { structuredContent: { memories: expect.any(Array) } } });
  });

  it('[T2] one of several at once is refused in its own answer', async () => {
    const session = { 'mcp-session-id': await beginSession(served.url, stella) };
    const { _meta: _, ...params } = callOf('guarded').params;
    const batch = [
      { ...callOf('guarded'), params },
      { jsonrpc: '2.0', id: 2, method: 'prompts/list' },
    ];
    const response = await served.post(batch, { identity: stella, headers: session });
    expect(response.status).toBe(200);
    expect(JSON.stringify(await messagesOf(response))).toContain('tool_denied');
  });
});

describe('where to get a token', () => {
  it('[I1] is said at both addresses, to every page', async () => {
    const paths = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'];
    for (const path of paths) {
      const response = await fetch(`${base()}${path}`, { headers: { origin: 'https://anywhere.example' } });
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(await response.json()).toEqual({
        resource: audience,
        authorization_servers: ['https://login.example.com'],
        bearer_methods_supported: ['header'],
        resource_name: 'Context assembly memory',
      });
      expect((await fetch(`${base()}${path}`, { method: 'OPTIONS' })).status).toBe(204);
      expect((await fetch(`${base()}${path}`, { method: 'POST' })).status).toBe(405);
    }
  });
});

describe('names and pages', () => {
  it('[I1] a name that the server does not go by is refused, health aside', async () => {
    expect(await statusAs('evil.example')).toBe(403);
    expect(await statusAs('127.0.0.1.evil.example:80')).toBe(403);
    expect(await statusAs('localhost@evil.example')).toBe(403);
    expect(await statusAs('localhost:1')).not.toBe(403);
    expect(await statusAs('10.0.0.7:3000', '/healthz')).toBe(200);
  });

  it('[I1] a page of another origin is refused, before any token is looked at', async () => {
    for (const origin of ['https://evil.example', 'http://app.example.com', 'https://app.example.com:8443', 'null']) {
      const response = await served.post(list, { headers: { origin } });
      expect([origin, response.status]).toEqual([origin, 403]);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      expect((await fetch(served.url, { method: 'OPTIONS', headers: { origin } })).status).toBe(403);
    }
  });

  it('[I1] a page that is let in may ask, and may read what it needs', async () => {
    const headers = { origin: 'https://app.example.com' };
    const preflight = await fetch(served.url, { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Mcp-Session-Id');
    for (const identity of [jane, null]) {
      const response = await served.post(list, { headers, identity });
      expect(response.headers.get('access-control-allow-origin')).toBe(headers.origin);
      expect(response.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
      expect(response.headers.get('vary')).toBe('Origin');
    }
  });

  it('[I1] without a list, pages of this machine alone are let in', async () => {
    const local = await openHttp(fixture);
    const status = async (origin: string) => (await local.post(list, { headers: { origin } })).status;
    expect(await status('http://localhost:5173')).toBe(200);
    expect(await status('http://127.0.0.1')).toBe(200);
    expect(await status('http://localhost.evil.example')).toBe(403);
    expect(await status('https://app.example.com')).toBe(403);
    await local.close();
  });
});

describe('health', () => {
  it('tells whether it lives and can serve, and nothing else', async () => {
    expect(await (await fetch(`${base()}/healthz`)).json()).toEqual({ status: 'ok' });
    await expect
      .poll(async () => (await fetch(`${base()}/readyz`)).json(), { timeout: 3_000 })
      .toEqual({ status: 'ready' });
    expect((await fetch(`${base()}/healthz`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${base()}/elsewhere`)).status).toBe(404);
  });
});
