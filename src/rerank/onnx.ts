// A cross-encoder on this machine (design Q6, S4): reads question and text together and gives a logit that stands alone.

import type { ModelFolder } from '../onnx/model_folder.ts';
import type { Runner } from '../onnx/runner.ts';
import type { Reranker } from './reranker.ts';

/** A reranker over what runs a model. `score` rejects where the model cannot be loaded or run. */
export function createOnnxReranker(model: ModelFolder, runner: Runner): Reranker {
  return {
    id: `onnx:${model.name},${model.file.numbers},${model.fingerprint}`,
    score: async (question, texts, { signal } = {}) => {
      const inputs = texts.map(({ text }) => ({ question: question.toWellFormed(), text: text.toWellFormed() }));
      const found = await runner.run(inputs, { isUrgent: true, ...(signal === undefined ? {} : { signal }) });
      return found.map((logits) => ({ kind: 'logit', value: logitOf(logits) }));
    },
  };
}

/** The logit of "it answers": the only number, or by how much the second class leads the first. */
function logitOf(logits: Float32Array): number {
  const [first = Number.NaN, second] = logits;
  if (logits.length === 1) return first;
  if (logits.length === 2 && second !== undefined) return second - first;
  throw new RangeError(`${logits.length} classes; a reranker has one or two`);
}
