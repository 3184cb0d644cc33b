// An OpenAI-compatible service that summarises (design C1): asked with patience, read with a limit, believed with a check.

import { unfaithful } from '../assembly/summarise/faithful.ts';
import { summarise as cutBySentences } from '../assembly/summarise/summarise.ts';
import { promptVersion, sourceText, summaryMessages } from './prompt.ts';
import { type Patience, TryAgain, withPatience } from './retries.ts';
import { type Source, SummariserFailure, type Summariser, type SummaryLimits } from './summariser.ts';

/** Where to ask, and for which model. */
export interface SummaryEndpoint {
  /** Base address, such as `https://api.openai.com/v1`. */
  readonly url: string;
  readonly apiKey: string | null;
  readonly model: string;
}

const defaultPatience: Patience = { attemptMs: 20_000, totalMs: 45_000, attempts: 3, backOffMs: 400 };

/** A longer source is not sent: no model in use takes so much, and the failure would come late. */
const longestSourceChars = 1_500_000;
const longestAnswerBytes = 1_000_000;

/** Statuses that another attempt may mend. */
const passing = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

/** A summariser that asks the service. What it gives was checked against the source; else it rejects. */
export function createEndpointSummariser(endpoint: SummaryEndpoint, patience: Patience = defaultPatience): Summariser {
  return {
    identity: { model: endpoint.model, promptVersion },
    isRemote: true,
    summarise: async (source, limits) => {
      const text = sourceText(source);
      if (text.length > longestSourceChars) throw new SummariserFailure('the source is too long for a service');
      const said = await withPatience(patience, limits.signal, (signal) =>
        ask(endpoint, source, { ...limits, signal }),
      );
      return checked(text, said, limits);
    },
  };
}

async function ask(
  endpoint: SummaryEndpoint,
  source: Source,
  { maxTokens, signal }: SummaryLimits & { readonly signal: AbortSignal },
): Promise<Said> {
  const response = await sent(endpoint, source, maxTokens, signal);
  if (!response.ok) {
    await response.body?.cancel();
    const reason = `status ${response.status}`;
    if (!passing.has(response.status)) throw new SummariserFailure(reason);
    throw new TryAgain(reason, retryAfterMs(response.headers.get('retry-after')));
  }
  return saidIn(await bodyOf(response));
}

async function sent(
  endpoint: SummaryEndpoint,
  source: Source,
  maxTokens: number,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await fetch(`${endpoint.url.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(endpoint.apiKey === null ? {} : { authorization: `Bearer ${endpoint.apiKey}` }),
      },
      // No other parameters: services differ in which they take, and refuse those they do not know.
      body: JSON.stringify({ model: endpoint.model, messages: summaryMessages(source, maxTokens) }),
      signal,
      // A redirect could lead the key and the text to another host.
      redirect: 'error',
    });
  } catch (error) {
    throw unreachable(error);
  }
}

/** A connection that failed may hold the next time. The service's own words are dropped. */
function unreachable(error: unknown): Error {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'the service cannot be reached';
  return new TryAgain(code);
}

/** The header's seconds or date as milliseconds from now, or null. */
function retryAfterMs(header: string | null): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

async function bodyOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of response.body ?? []) {
      bytes += part.byteLength;
      if (bytes > longestAnswerBytes) break;
      parts.push(part);
    }
  } catch (error) {
    throw unreachable(error);
  }
  if (bytes > longestAnswerBytes) throw new SummariserFailure('an answer that is too long');
  return Buffer.concat(parts).toString('utf8');
}

interface Said {
  readonly text: string;
  /** True when the service stopped in the middle. */
  readonly isCut: boolean;
}

function saidIn(body: string): Said {
  const choice = firstChoice(body);
  const message = fieldOf(choice, 'message');
  const reason = fieldOf(choice, 'finish_reason');
  if (reason === 'content_filter' || typeof fieldOf(message, 'refusal') === 'string') {
    throw new SummariserFailure('the service refused');
  }
  const content = fieldOf(message, 'content');
  if (typeof content !== 'string' || content.trim() === '') throw new SummariserFailure('an answer without a text');
  return { text: content.toWellFormed().trim(), isCut: reason === 'length' };
}

function firstChoice(body: string): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    // The parser's own message quotes what it read.
    throw new SummariserFailure('an answer that is no JSON');
  }
  const choices = fieldOf(answer, 'choices');
  return Array.isArray(choices) ? choices[0] : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** The answer as it may be kept: whole sentences within the limit, faithful to the source. */
function checked(source: string, { text, isCut }: Said, { maxTokens, countTokens }: SummaryLimits): string {
  if (/(?![\t\n])\p{Cc}/u.test(text)) throw new SummariserFailure('an answer with control characters');
  const whole = isCut ? withoutLastPart(text) : text;
  const fault = unfaithful(source, whole);
  if (fault !== null) throw new SummariserFailure(`${fault} that the source does not hold`);
  const fitting = countTokens(whole) <= maxTokens ? whole : cutBySentences(whole, maxTokens, countTokens);
  if (fitting === '') throw new SummariserFailure('an answer without a whole sentence that fits');
  return fitting;
}

/** What a service had said when it was cut off, up to its last whole sentence. */
function withoutLastPart(text: string): string {
  return /^[\s\S]*[.!?…。！？]["'”’」』)\]]*(?=\s|$)/u.exec(text)?.[0] ?? '';
}
