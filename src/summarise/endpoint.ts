// An OpenAI-compatible service that summarises (design C1): asked with patience, read with a limit, believed with a check.

import { unfaithful } from '../assembly/summarise/faithful.ts';
import { summarise as cutBySentences } from '../assembly/summarise/summarise.ts';
import { fieldOf, postJson, type Service } from '../service/post_json.ts';
import { type Patience, ServiceFailure, withPatience } from '../service/retries.ts';
import { promptVersion, sourceText, summaryMessages } from './prompt.ts';
import { type Source, SummariserFailure, type Summariser, type SummaryLimits } from './summariser.ts';

/** Where to ask, and for which model. */
export interface SummaryEndpoint extends Service {
  readonly model: string;
}

const defaultPatience: Patience = { attemptMs: 20_000, totalMs: 45_000, attempts: 3, backOffMs: 400 };

/** A longer source is not sent: no model in use takes so much, and the failure would come late. */
const longestSourceChars = 1_500_000;
const longestAnswerBytes = 1_000_000;

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
      ).catch((error: unknown) => {
        throw error instanceof ServiceFailure ? new SummariserFailure(error.message) : error;
      });
      return checked(text, said, limits);
    },
  };
}

async function ask(
  endpoint: SummaryEndpoint,
  source: Source,
  { maxTokens, signal }: SummaryLimits & { readonly signal: AbortSignal },
): Promise<Said> {
  // No other parameters: services differ in which they take, and refuse those they do not know.
  const body = { model: endpoint.model, messages: summaryMessages(source, maxTokens) };
  return saidIn(await postJson(endpoint, { path: 'chat/completions', body, longestAnswerBytes, signal }));
}

interface Said {
  readonly text: string;
  /** True when the service stopped in the middle. */
  readonly isCut: boolean;
}

function saidIn(answer: unknown): Said {
  const choices = fieldOf(answer, 'choices');
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = fieldOf(choice, 'message');
  const reason = fieldOf(choice, 'finish_reason');
  if (reason === 'content_filter' || typeof fieldOf(message, 'refusal') === 'string') {
    throw new SummariserFailure('the service refused');
  }
  const content = fieldOf(message, 'content');
  if (typeof content !== 'string' || content.trim() === '') throw new SummariserFailure('an answer without a text');
  return { text: content.toWellFormed().trim(), isCut: reason === 'length' };
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
