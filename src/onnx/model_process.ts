// The process that runs one model: running blocks the thread it happens in, and the program's own has others to serve.

import { AutoModel, AutoModelForSequenceClassification, AutoTokenizer, env, LogLevel } from '@huggingface/transformers';
import type { PreTrainedTokenizer } from '@huggingface/transformers';
import type { Answer, FirstMessage, Input, Pooling } from './runnable_model.ts';

/** A text is split into tokens up to here: no model in use reads so much. */
const longestTextChars = 20_000;

/** A tensor as models give it. */
interface Tensor {
  readonly dims: readonly number[];
  readonly data: ArrayLike<number | bigint>;
}

// Nothing is fetched here.
env.allowRemoteModels = false;
env.logLevel = LogLevel.NONE;

// It ends with the program that it works for, and not before: an interruption at a terminal reaches both.
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {});

process.once('message', (first: FirstMessage) => {
  const loading = load(first);
  // The next call gets another process: what was missing may be there then.
  loading.catch((error: unknown) => tell({ lost: String(error) }));
  process.on('message', (input: Input) => {
    loading
      .then(async (loaded) => answerOf(loaded, input))
      .then(tell, (error: unknown) => tell({ failure: String(error) }));
  });
});

function tell(answer: Answer): void {
  process.send?.(answer);
}

interface Loaded extends FirstMessage {
  readonly tokenizer: PreTrainedTokenizer;
  readonly run: (inputs: Readonly<Record<string, Tensor>>) => Promise<Readonly<Record<string, Tensor | undefined>>>;
}

async function load(first: FirstMessage): Promise<Loaded> {
  const { folder, file } = first.model;
  const options = {
    local_files_only: true,
    dtype: file.numbers,
    subfolder: file.subfolder,
    use_external_data_format: file.isSplit,
  };
  const [tokenizer, model] = await Promise.all([
    AutoTokenizer.from_pretrained(folder, { local_files_only: true }),
    first.task === 'embed'
      ? AutoModel.from_pretrained(folder, options)
      : AutoModelForSequenceClassification.from_pretrained(folder, options),
  ]);
  return { ...first, tokenizer, run: async (inputs) => (await model(inputs)) as Record<string, Tensor | undefined> };
}

// One text at a time: a quantised model scales its numbers by all that it is given at once, so in a batch the result of
// a text would depend on its neighbours, and on this kind of processor a batch is no faster.
async function answerOf(loaded: Loaded, input: Input): Promise<Answer> {
  const outputs = await loaded.run(encoded(loaded, input));
  return { numbers: loaded.task === 'embed' ? pooled(outputs, loaded.model.pooling) : logitsOf(outputs) };
}

/** The tokens of a text, or of a question and a text, up to the model's limit and with the mark that ends them. */
function encoded(
  { tokenizer, model: { longestTokens } }: Loaded,
  { text, question }: Input,
): Readonly<Record<string, Tensor>> {
  const cut = text.slice(0, longestTextChars);
  const options = { truncation: true, max_length: longestTokens };
  // A long question leaves about half of the room to the text.
  const inputs = (
    question === undefined
      ? tokenizer(cut, options)
      : tokenizer(question.slice(0, 2 * longestTokens), { ...options, text_pair: cut })
  ) as Readonly<Record<string, Tensor>>;
  const ids = inputs['input_ids']?.data;
  const end = tokenizer.sep_token_id ?? tokenizer.eos_token_id;
  // What is cut loses its end, which the model expects.
  if (ids instanceof BigInt64Array && ids.length === longestTokens && typeof end === 'number') {
    ids[ids.length - 1] = BigInt(end);
  }
  return inputs;
}

/** The vector of the only text: its tokens' mean, or the first token's, or what the model pools itself. */
function pooled(outputs: Readonly<Record<string, Tensor | undefined>>, pooling: Pooling): Float32Array {
  const tokens = outputs['last_hidden_state'] ?? outputs['token_embeddings'];
  const whole = outputs['sentence_embedding'];
  if (tokens === undefined && whole !== undefined) return Float32Array.from(whole.data, Number);
  if (tokens === undefined) throw new Error('the model gives no vectors');
  const [, length = 0, size = 0] = tokens.dims;
  const counted = pooling === 'cls' ? Math.min(1, length) : length;
  const sum = new Float64Array(size);
  for (let token = 0; token < counted; token += 1) {
    for (let at = 0; at < size; at += 1) sum[at] = (sum[at] ?? 0) + Number(tokens.data[token * size + at] ?? 0);
  }
  return Float32Array.from(sum, (value) => value / Math.max(1, counted));
}

function logitsOf(outputs: Readonly<Record<string, Tensor | undefined>>): Float32Array {
  const logits = outputs['logits'];
  if (logits === undefined) throw new Error('the model gives no logits');
  return Float32Array.from(logits.data, Number);
}
