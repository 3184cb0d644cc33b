// A service that summarises (C1): a real one on this machine, and all the ways in which one can be of no help.

import { afterEach, describe, expect, it } from 'vitest';
import { createEndpointSummariser } from '../../src/summarise/endpoint.ts';
import type { Patience } from '../../src/service/retries.ts';
import { promptVersion } from '../../src/summarise/prompt.ts';
import { SummariserFailure, type Source } from '../../src/summarise/summariser.ts';
import { countTokens } from '../assembly/fixtures.ts';
import { type Answer, chatService, type ChatService, completion } from './chat_service.ts';

const quick: Patience = { attemptMs: 400, totalMs: 1500, attempts: 3, backOffMs: 5 };
const source: Source = {
  kind: 'text',
  text: 'Quotes above 25,000 EUR need approval. Never send KX-2291-B by fax. The private words are plum and pear.',
};
const good = 'Quotes above 25,000 EUR need approval. Never send KX-2291-B by fax.';

const services: ChatService[] = [];
afterEach(() => {
  for (const service of services.splice(0)) service.close();
});

async function serve(answer: Answer): Promise<ChatService> {
  const service = await chatService(answer);
  services.push(service);
  return service;
}

function ask(
  url: string,
  given: { patience?: Patience; maxTokens?: number; signal?: AbortSignal; from?: Source } = {},
) {
  const { patience = quick, maxTokens = 40, signal, from = source } = given;
  const summariser = createEndpointSummariser({ url, apiKey: 'secret-key', model: 'small' }, patience);
  return summariser.summarise(from, { maxTokens, countTokens, ...(signal === undefined ? {} : { signal }) });
}

const failureOf = async (work: Promise<string>): Promise<SummariserFailure> => {
  const failure: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(failure instanceof SummariserFailure)) throw new Error('there was no such failure', { cause: failure });
  return failure;
};

describe('the endpoint', () => {
  it('[C1] is asked for the model with instructions, the limit and the text, and what it says is the summary', async () => {
    const { url, seen } = await serve((response) => response.end(completion(`  ${good}\n`)));
    expect(await ask(`${url}/`)).toBe(good);
    expect(seen).toHaveLength(1);
    const { headers, body } = seen[0]!;
    expect([seen[0]!.url, headers.authorization, body.model]).toEqual([
      '/v1/chat/completions',
      'Bearer secret-key',
      'small',
    ]);
    expect(body.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(body.messages[1]!.content).toContain('At most 40 tokens');
    expect(body.messages[1]!.content).toContain('plum and pear');
    expect(createEndpointSummariser({ url, apiKey: null, model: 'small' }).identity).toEqual({
      model: 'small',
      promptVersion,
    });
  });

  it('[C1] gets the turns of a thread with who spoke', async () => {
    const { url, seen } = await serve((response) => response.end(completion('The port is 80.')));
    const turns = [{ role: 'user', speaker: 'Ada', text: 'The port is 80.\nYes.', turnIndex: 3 }] as const;
    expect(await ask(url, { from: { kind: 'turns', turns } })).toBe('The port is 80.');
    expect(seen[0]!.body.messages[1]!.content).toMatch(/^Ada 3: The port is 80\. Yes\.$/m);
  });

  it('[C1] what is too long is cut to whole sentences, and what was broken off loses its last part', async () => {
    const { url } = await serve((response, _request, count) =>
      response.end(
        count === 1 ? completion(good) : completion('Quotes above 25,000 EUR need approval. Never send KX', 'length'),
      ),
    );
    const cut = await ask(url, { maxTokens: 12 });
    expect(good.split(/(?<=\.) /)).toContain(cut);
    expect(countTokens(cut)).toBeLessThanOrEqual(12);
    expect(await ask(url)).toBe('Quotes above 25,000 EUR need approval.');
  });
});

describe('an endpoint that fails', () => {
  it.each<[string, string, (response: Parameters<Answer>[0]) => void]>([
    ['status 401', 'status 401', (response) => response.writeHead(401).end('{"error":"plum"}')],
    ['status 404', 'status 404', (response) => response.writeHead(404).end('plum')],
    ['no JSON', 'an answer that is no JSON', (response) => response.end('plum and pear')],
    ['no choices', 'an answer without a text', (response) => response.end('{"choices":[]}')],
    ['no object', 'an answer without a text', (response) => response.end('null')],
    ['an empty text', 'an answer without a text', (response) => response.end(completion('  '))],
    ['a list for a text', 'an answer without a text', (response) => response.end(completion([{ text: 'plum' }]))],
    ['a filter', 'the service refused', (response) => response.end(completion('plum', 'content_filter'))],
    ['a huge answer', 'an answer that is too long', (response) => response.end(`"${'x'.repeat(1_200_000)}"`)],
    ['an invented number', 'a number that', (response) => response.end(completion('Quotes above 2,500 EUR.'))],
    ['an invented date', 'a number that', (response) => response.end(completion('Due on 2026-05-14.'))],
    ['an invented identifier', 'an identifier that', (response) => response.end(completion('Send KX-2292-B.'))],
    ['a lost negation', 'a negation that', (response) => response.end(completion('Send KX-2291-B by fax.'))],
    ['a control character', 'an answer with control', (response) => response.end(completion('plum\u0000'))],
    ['half a sentence', 'an answer without a whole', (response) => response.end(completion('Quotes abo', 'length'))],
  ])('[C1] by %s is asked once, and says why without a word of the text', async (_name, reason, answer) => {
    const { url, seen } = await serve(answer);
    const failure = await failureOf(ask(url));
    expect(failure.message).toContain(reason);
    expect(failure.message).not.toMatch(/plum|pear|secret-key|2,500|KX/);
    expect(seen).toHaveLength(1);
  });

  it.each([408, 429, 500, 502, 503, 504])(
    '[C1] with status %i is asked again, a bounded number of times',
    async (status) => {
      const { url, seen } = await serve((response) => response.writeHead(status).end('plum'));
      expect((await failureOf(ask(url))).message).toBe(`status ${status}`);
      expect(seen).toHaveLength(3);
    },
  );

  it('[C1] and recovers gives its summary all the same', async () => {
    const { url } = await serve((response, _request, count) => {
      if (count === 1) response.writeHead(503).end();
      else if (count === 2) response.destroy();
      else response.end(completion(good));
    });
    expect(await ask(url)).toBe(good);
  });

  it('[C1] with a limit of requests is asked again when it says so, by seconds or by date', async () => {
    const { url, seen } = await serve((response, _request, count) => {
      if (count === 1) response.writeHead(429, { 'retry-after': '1' }).end();
      else response.end(completion(good));
    });
    expect(await ask(url, { patience: { ...quick, totalMs: 10_000 } })).toBe(good);
    expect(seen[1]!.at - seen[0]!.at).toBeGreaterThan(900);
  });

  it('[C1] that asks for more patience than there is fails at once', async () => {
    const { url, seen } = await serve((response) => response.writeHead(429, { 'retry-after': '3600' }).end());
    expect((await failureOf(ask(url))).message).toBe('status 429');
    const later = new Date(Date.now() + 3_600_000).toUTCString();
    const { url: other } = await serve((response) => response.writeHead(503, { 'retry-after': later }).end());
    expect((await failureOf(ask(other))).message).toBe('status 503');
    expect(seen).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ['never answers', () => {}],
    ['begins and never ends', (response) => response.write('{"choices":')],
  ])('[C1] and %s is given up after its time', async (_name, answer) => {
    const { url } = await serve(answer);
    const patience = { ...quick, attemptMs: 60, totalMs: 250 };
    expect((await failureOf(ask(url, { patience }))).message).toBe('no answer in time');
  });

  it('[C1] and is not there says so', async () => {
    const service = await serve(() => {});
    service.close();
    expect((await failureOf(ask(service.url))).message).toMatch(/^(?:ECONNREFUSED|UND_ERR_SOCKET|ECONNRESET)$/);
  });

  it('[C1] gets neither key nor text to another host by a redirect', async () => {
    const { url: other, seen } = await serve((response) => response.end(completion(good)));
    const { url } = await serve((response) => response.writeHead(307, { location: `${other}/chat/completions` }).end());
    await failureOf(ask(url));
    expect(seen).toEqual([]);
  });

  it('[C1,T9] is left when the caller goes', async () => {
    const { url } = await serve(() => {});
    const controller = new AbortController();
    const work = ask(url, { signal: controller.signal, patience: { ...quick, attemptMs: 60_000, totalMs: 60_000 } });
    setTimeout(() => controller.abort(new Error('gone')), 30);
    await expect(work).rejects.toThrow('gone');
  });

  it('[C1] is not sent what no model takes', async () => {
    const { url, seen } = await serve((response) => response.end(completion(good)));
    const from: Source = { kind: 'text', text: 'x'.repeat(1_600_000) };
    expect((await failureOf(ask(url, { from }))).message).toContain('too long');
    expect(seen).toEqual([]);
  });
});
