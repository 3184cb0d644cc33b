// doctor, on what measures text: which models are set, whether they are the store's, and whether they answer.

import type { Check } from './doctor_finding.ts';
import type { Context, ModelTrial, Parts } from './command.ts';
import { failureOf } from './failure.ts';

/** Embedder, reranker and tokenizer. Models that are not built in are asked something small. */
export async function modelChecks(
  context: Pick<Context, 'config' | 'signal'>,
  parts: Parts,
): Promise<readonly Check[]> {
  const { models } = context.config;
  const { embedder, dimensions, reranker, encoding } = await parts.models();
  const stored = (await (await parts.store()).schemaState()).embedder;
  const trials = await parts.tryModels(context.signal);
  const embedderCheck = checkOf('embedder', `${embedder}, ${dimensions} dimensions`, {
    kind: models.embedder.kind,
    trial: trials.embedder,
  });
  const agrees = stored === null || (stored.id === embedder && stored.dimensions === dimensions);
  return [
    agrees
      ? embedderCheck
      : {
          name: 'embedder',
          state: 'wrong',
          says: `${embedder}, but the store was filled by ${stored.id}.`,
          action: 'Set CONTEXT_EMBEDDER and its model to that one, or run `context-assembly-memory reembed`.',
        },
    checkOf('reranker', reranker, { kind: models.reranker.kind, trial: trials.reranker }),
    { name: 'tokenizer', state: 'ok', says: encoding },
  ];
}

type Kind = Context['config']['models']['embedder']['kind'];

/** What a person can look at when a model of each kind gives no answer. */
const actions: Readonly<Record<Kind, (variable: string) => string>> = {
  'built-in': () => 'Install the package again: its folder models is incomplete.',
  onnx: (variable) => `Look at the folder of ${variable}_MODEL, and for room in memory.`,
  http: (variable) => `Check ${variable}_URL, ${variable}_MODEL and ${variable}_API_KEY, and whether the service runs.`,
  database: (variable) => `Check whether the database has the model of ${variable}_MODEL.`,
};

function checkOf(
  name: 'embedder' | 'reranker',
  says: string,
  { kind, trial }: { readonly kind: Kind; readonly trial: ModelTrial },
): Check {
  if (trial.works) {
    const answered = kind === 'built-in' ? '' : `, answered in ${trial.milliseconds} ms`;
    return { name, state: 'ok', says: `${says}${answered}` };
  }
  const action = actions[kind](`CONTEXT_${name.toUpperCase()}`);
  return { name, state: 'wrong', says: `${says}: ${wordsOf(trial.error)}`, action };
}

/** A coded failure says itself what a person may know; of others only the kind is told. */
function wordsOf(error: unknown): string {
  const named = error instanceof Error && ['ServiceFailure', 'ModelFailure', 'TimeoutError'].includes(error.name);
  return named ? `${error.message}.` : failureOf(error).message;
}
