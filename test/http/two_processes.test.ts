// Two processes of the real command on one PostgreSQL server behind a balancer: for hosts they are one.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openIdentityProvider, type IdentityProvider } from '../auth/identity_provider.ts';
import { audience } from '../auth/verifier.ts';
import { openFixture, operatorCall, type Fixture } from '../fixture.ts';
import { until, type Elicit, type Host } from '../protocol/harness.ts';
import { openStoreOnServer, type TestDatabase } from '../store/server_session.ts';
import { describeOnServer } from '../store/server_tests.ts';
import { connect, type Kind } from './harness.ts';
import { choosesThis, loadSeeds, loadTenants, mixedCalls } from './load_tenants.ts';
import { openBalancer, type Balancer } from './round_robin.ts';
import { listen, type Listening } from './run_http.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

describeOnServer('two http processes on a PostgreSQL server', () => {
  let database: TestDatabase;
  let provider: IdentityProvider;
  let fixture: Fixture;
  let running: readonly Listening[] = [];
  const open: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    provider = await openIdentityProvider();
    fixture = await openFixture({
      seeds: [],
      async openStore(made) {
        const store = await openStoreOnServer(made);
        ({ database } = store);
        return store;
      },
    });
    await fixture.operator.seed(loadSeeds, { requestId: 'seed' });
    const settings = {
      CONTEXT_ENGINE: 'postgres',
      DATABASE_URL: database.app,
      CONTEXT_AUTH: 'jwt',
      CONTEXT_AUTH_ISSUER: provider.issuer,
      CONTEXT_AUTH_AUDIENCE: audience,
      CONTEXT_AUTH_JWKS: provider.jwksUrl,
    };
    running = await Promise.all([listen(settings), listen(settings)]);
  });
  afterAll(async () => {
    for (const each of open.toReversed()) await each.close().catch(() => {});
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.map(async ({ ended }) => ended));
    await fixture.close();
    await provider.close();
  });

  async function balance(options: { readonly isSticky?: boolean } = {}): Promise<Balancer> {
    const balancer = await openBalancer(
      running.map(({ url }) => url),
      options,
    );
    open.push(balancer);
    return balancer;
  }

  async function hostOf(kind: Kind, at: { url: string; tenant: string; user: string }, elicit?: Elicit): Promise<Host> {
    const token = await provider.sign({ aud: audience, sub: at.user, tenant_id: at.tenant });
    const host = await connect(kind, { url: at.url, token, elicit });
    open.push(host);
    return host;
  }

  const placesOf = ({ sent }: Balancer, method: string) =>
    sent.filter((each) => each.method === method).map(({ place }) => place);

  it('[T1,I2] hosts of the newer era are served by both in turn, each by the rows of its own tenant', async () => {
    const balancer = await balance();
    const work = loadTenants.map(async (tenant) => {
      const host = await hostOf('newer', { url: balancer.url, tenant, user: 'turn' }, choosesThis);
      for (const [place, call] of mixedCalls.entries()) await call(host, tenant, `turn-${place}`);
    });
    await Promise.all(work);
    expect(new Set(placesOf(balancer, 'tools/call'))).toEqual(new Set([0, 1]));
  });

  it('[L4,N6] what one asked a person the other one is told, and the question is asked once', async () => {
    const balancer = await balance();
    let questions = 0;
    const asked: Elicit = async (request) => {
      questions += 1;
      return choosesThis(request);
    };
    const host = await hostOf('newer', { url: balancer.url, tenant: 'cedar', user: 'asked' }, asked);
    const before = placesOf(balancer, 'tools/call').length;
    const answer = await host.call('clarify', { question: 'Which one?', options: ['this', 'that'] });
    expect(answer.structuredContent).toMatchObject({ status: 'answered', answer: 'this' });
    expect(questions).toBe(1);
    const [first, second, ...more] = placesOf(balancer, 'tools/call').slice(before);
    expect([first, more]).toEqual([1 - (second ?? 0), []]);
  });

  it('[T3] subscribers on either are told of a tool that was added elsewhere, and those of another tenant are not', async () => {
    const balancer = await balance();
    const listening: Host[] = [];
    // A host asks twice before it listens, so turns have to be put out of step until both have a listener.
    while (new Set(placesOf(balancer, 'subscriptions/listen')).size < 2 || listening.length < 2) {
      listening.push(await hostOf('newer', { url: balancer.url, tenant: 'hazel', user: `s-${listening.length}` }));
      await until(() => placesOf(balancer, 'subscriptions/listen').length === listening.length);
      if (listening.length % 2 === 0) await fetch(balancer.url);
    }
    const other = await hostOf('newer', { url: balancer.url, tenant: 'larch', user: 'other' });
    const schema = { type: 'object', properties: {}, additionalProperties: false };
    const row = { tool_name: 'added', tool_schema: schema, tool_handler: 'clarify', usage_notes: 'Asks.' };
    await fixture.operator.apply(operatorCall('hazel'), 'tools.json', { toolbox: [row] });
    for (const host of listening) await until(() => host.changes() > 0);
    expect(other.changes()).toBe(0);
  });

  it('[T1] hosts of the older era are served where the balancer keeps sessions together', async () => {
    const balancer = await balance({ isSticky: true });
    const work = loadTenants.slice(0, 4).map(async (tenant) => {
      const host = await hostOf('older', { url: balancer.url, tenant, user: 'older' }, choosesThis);
      for (const [place, call] of mixedCalls.entries()) await call(host, tenant, `older-${place}`);
    });
    await Promise.all(work);
    expect(new Set(balancer.sent.map(({ place }) => place))).toEqual(new Set([0, 1]));
  });

  it('[I1] a token is judged alike by both', async () => {
    const token = await provider.sign({ aud: 'https://other.example.com', sub: 'jane', tenant_id: 'aspen' });
    const asked = running.map(async ({ url }) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      const response = await fetch(url, { method: 'POST', headers, body: '{}' });
      return [response.status, response.headers.get('www-authenticate'), await response.text()];
    });
    const [one, other] = await Promise.all(asked);
    expect(one?.[0]).toBe(401);
    expect(other).toEqual(one);
  });
});
