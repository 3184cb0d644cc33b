// Writes small models in ONNX's own format, so that real files are loaded whose results can be worked out by hand.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A field of a protocol buffer: a number, or bytes with their length. */
type Field = readonly [number: number, value: number | Uint8Array | string];

function varint(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  while (left > 127) {
    bytes.push((left % 128) + 128);
    left = Math.floor(left / 128);
  }
  return [...bytes, left];
}

function message(...fields: readonly Field[]): Uint8Array {
  const parts = fields.map(([number, value]) => {
    if (typeof value === 'number') return Buffer.from([...varint(number * 8), ...varint(value)]);
    const bytes = Buffer.from(value as Uint8Array);
    return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes]);
  });
  return Buffer.concat(parts);
}

const float = 1;
const int64 = 7;

function tensor(name: string, rows: readonly (readonly number[])[]): Uint8Array {
  const numbers = Float32Array.from(rows.flat());
  const dims = [rows.length, rows[0]?.length ?? 0].map((size): Field => [1, size]);
  return message(...dims, [2, float], [8, Buffer.from(name)], [9, new Uint8Array(numbers.buffer)]);
}

function valueInfo(name: string, type: number, dims: readonly string[]): Uint8Array {
  const shape = message(...dims.map((dim): Field => [1, message([2, Buffer.from(dim)])]));
  return message([1, Buffer.from(name)], [2, message([1, message([1, type], [2, shape])])]);
}

interface Node {
  readonly operation: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly numbers?: Readonly<Record<string, number>>;
  readonly lists?: Readonly<Record<string, readonly number[]>>;
}

function node({ operation, inputs, output, numbers = {}, lists = {} }: Node): Uint8Array {
  return message(
    ...inputs.map((input): Field => [1, Buffer.from(input)]),
    [2, Buffer.from(output)],
    [4, Buffer.from(operation)],
    ...Object.entries(numbers).map(([name, one]): Field => [5, message([1, Buffer.from(name)], [3, one], [20, 2])]),
    ...Object.entries(lists).map(
      ([name, all]): Field => [5, message([1, Buffer.from(name)], ...all.map((one): Field => [8, one]), [20, 7])],
    ),
  );
}

function model(
  nodes: readonly Node[],
  weights: readonly (readonly number[])[],
  given: readonly string[],
  output: Uint8Array,
) {
  const graph = message(
    ...nodes.map((one): Field => [1, node(one)]),
    [2, Buffer.from('tiny')],
    [5, tensor('weights', weights)],
    ...given.map((name): Field => [11, valueInfo(name, int64, ['batch', 'length'])]),
    [12, output],
  );
  return message([1, 7], [7, graph], [8, message([1, new Uint8Array()], [2, 11])]);
}

/** A model whose tokens' vectors are the rows of `weights`. */
export function embeddingModel(weights: readonly (readonly number[])[]): Uint8Array {
  const nodes = [{ operation: 'Gather', inputs: ['weights', 'input_ids'], output: 'last_hidden_state' }];
  return model(nodes, weights, ['input_ids'], valueInfo('last_hidden_state', float, ['batch', 'length', 'size']));
}

/** A model whose logits are the sums of `weights` over the tokens of the second text, the mark at its end included. */
export function scoringModel(weights: readonly (readonly number[])[]): Uint8Array {
  const nodes = [
    { operation: 'Gather', inputs: ['weights', 'input_ids'], output: 'each' },
    { operation: 'Cast', inputs: ['token_type_ids'], output: 'second', numbers: { to: float } },
    { operation: 'Unsqueeze', inputs: ['second'], output: 'wide', lists: { axes: [2] } },
    { operation: 'Mul', inputs: ['each', 'wide'], output: 'counted' },
    { operation: 'ReduceSum', inputs: ['counted'], output: 'logits', lists: { axes: [1] }, numbers: { keepdims: 0 } },
  ];
  return model(nodes, weights, ['input_ids', 'token_type_ids'], valueInfo('logits', float, ['batch', 'classes']));
}

/** The words that the models below know, by their place; what else there is counts as [UNK]. */
export const words = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'plum', 'pear', 'fig', 'tree', 'query', 'passage'] as const;

/** Writes a model with its tokenizer into a folder as the hub lays it out. `more` are further files, as JSON. */
export function writeModel(
  folder: string,
  onnx: Uint8Array,
  more: {
    readonly config?: object;
    readonly longestTokens?: number;
    readonly files?: Readonly<Record<string, object>>;
  } = {},
): void {
  const { config = {}, longestTokens = 8, files = {} } = more;
  const special = (id: number) => ({
    id,
    content: words[id],
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  });
  const mark = (id: string, type_id: number) => ({ SpecialToken: { id, type_id } });
  const first = [mark('[CLS]', 0), { Sequence: { id: 'A', type_id: 0 } }, mark('[SEP]', 0)];
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [0, 1, 2, 3].map(special),
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: {
      type: 'TemplateProcessing',
      single: first,
      pair: [...first, { Sequence: { id: 'B', type_id: 1 } }, mark('[SEP]', 1)],
      special_tokens: Object.fromEntries(
        ['[CLS]', '[SEP]'].map((id) => [id, { id, ids: [words.indexOf(id as '[CLS]')], tokens: [id] }]),
      ),
    },
    decoder: null,
    model: { type: 'WordLevel', vocab: Object.fromEntries(words.map((word, id) => [word, id])), unk_token: '[UNK]' },
  };
  const marks = { unk_token: '[UNK]', cls_token: '[CLS]', sep_token: '[SEP]', pad_token: '[PAD]' };
  const all = {
    'config.json': { model_type: 'bert', hidden_size: 2, max_position_embeddings: 512, ...config },
    'tokenizer.json': tokenizer,
    'tokenizer_config.json': { tokenizer_class: 'BertTokenizer', model_max_length: longestTokens, ...marks },
    ...files,
  };
  for (const name of ['onnx', '1_Pooling']) mkdirSync(join(folder, name), { recursive: true });
  for (const [name, json] of Object.entries(all)) writeFileSync(join(folder, name), JSON.stringify(json));
  writeFileSync(join(folder, 'onnx', 'model.onnx'), onnx);
}
