// The part of the configuration that says which embedder and which reranker measure text (design Q5, Q6).

import { z } from 'zod';
import { MemoryError } from './model/errors.ts';
import { type modelKinds, modelShape } from './model_variables.ts';

/** What is put before a question and before a text; both may be empty. */
export interface Prefixes {
  readonly query: string;
  readonly text: string;
}

/** Which embedder, with all that it needs. */
export type EmbedderSettings =
  | { readonly kind: 'built-in' }
  | {
      readonly kind: 'onnx';
      /** An absolute path, or `org/name`. */
      readonly model: string;
      readonly prefixes: Prefixes;
      /** True: a model that is not on this machine may be fetched. */
      readonly mayDownload: boolean;
    }
  | {
      readonly kind: 'http';
      readonly url: string;
      readonly apiKey: string | null;
      readonly model: string;
      /** The model of questions; null where it is the same. */
      readonly queryModel: string | null;
      readonly prefixes: Prefixes;
      readonly dimensions: number;
    }
  | { readonly kind: 'database'; readonly model: string; readonly dimensions: number };

/** Which reranker, with all that it needs. */
export type RerankerSettings =
  | { readonly kind: 'built-in' }
  | { readonly kind: 'onnx'; readonly model: string }
  | {
      readonly kind: 'http';
      readonly url: string;
      readonly apiKey: string | null;
      readonly shape: RerankShape;
      /** Null where the service has one model and takes no name. */
      readonly model: string | null;
    }
  | { readonly kind: 'database'; readonly model: string };

/** Whose requests and answers a reranking service knows. */
export type RerankShape = 'cohere' | 'jina' | 'tei';

/** What measures text. */
export interface ModelSettings {
  readonly embedder: EmbedderSettings;
  readonly reranker: RerankerSettings;
}

const shape = z.object(modelShape);

/** The variables of models as read. */
type ModelValues = z.output<typeof shape>;
type Chooser = 'CONTEXT_EMBEDDER' | 'CONTEXT_RERANKER';
type Kind = (typeof modelKinds)[number];
type Part =
  | 'MODEL'
  | 'QUERY_MODEL'
  | 'QUERY_PREFIX'
  | 'TEXT_PREFIX'
  | 'URL'
  | 'API_KEY'
  | 'DIMENSIONS'
  | 'DOWNLOAD'
  | 'SHAPE';

/** What each kind must be told, and what else it reads. A variable that is set and not read is most likely a mistake. */
const reads = {
  CONTEXT_EMBEDDER: {
    'built-in': { needs: [], takes: [] },
    onnx: { needs: ['MODEL'], takes: ['QUERY_PREFIX', 'TEXT_PREFIX', 'DOWNLOAD'] },
    http: {
      needs: ['URL', 'MODEL', 'DIMENSIONS'],
      takes: ['QUERY_MODEL', 'QUERY_PREFIX', 'TEXT_PREFIX', 'API_KEY'],
    },
    database: { needs: ['MODEL', 'DIMENSIONS'], takes: [] },
  },
  CONTEXT_RERANKER: {
    'built-in': { needs: [], takes: [] },
    onnx: { needs: ['MODEL'], takes: [] },
    http: { needs: ['URL', 'SHAPE'], takes: ['MODEL', 'API_KEY'] },
    database: { needs: ['MODEL'], takes: [] },
  },
} as const satisfies Record<
  Chooser,
  Record<Kind, { readonly needs: readonly Part[]; readonly takes: readonly Part[] }>
>;

/**
 * The embedder and the reranker of these values, frozen. Throws `invalid_configuration` naming the variable that is
 * missing, or that is set and means nothing beside the others.
 */
export function modelSettings(values: ModelValues): ModelSettings {
  checkReads('CONTEXT_EMBEDDER', values);
  checkReads('CONTEXT_RERANKER', values);
  return Object.freeze({
    embedder: Object.freeze(embedderOf(values)),
    reranker: Object.freeze(rerankerOf(values)),
  });
}

function checkReads(chooser: Chooser, values: ModelValues): void {
  const kind = values[chooser];
  const given: Readonly<Record<string, unknown>> = values;
  const { needs, takes }: { readonly needs: readonly string[]; readonly takes: readonly string[] } =
    reads[chooser][kind];
  for (const part of needs) {
    const variable = `${chooser}_${part}`;
    if (given[variable] === undefined) throw invalid(variable, `is not set, but ${chooser} is ${kind}`);
  }
  const known = new Set([...needs, ...takes].map((part) => `${chooser}_${part}`));
  for (const variable of Object.keys(modelShape)) {
    if (!variable.startsWith(`${chooser}_`) || known.has(variable) || given[variable] === undefined) continue;
    throw invalid(variable, `is set, but ${chooser} is ${kind}, which does not read it`);
  }
}

function embedderOf(values: ModelValues): EmbedderSettings {
  const model = values.CONTEXT_EMBEDDER_MODEL ?? '';
  const dimensions = values.CONTEXT_EMBEDDER_DIMENSIONS ?? 0;
  const prefixes = Object.freeze({
    query: values.CONTEXT_EMBEDDER_QUERY_PREFIX ?? '',
    text: values.CONTEXT_EMBEDDER_TEXT_PREFIX ?? '',
  });
  switch (values.CONTEXT_EMBEDDER) {
    case 'built-in':
      return { kind: 'built-in' };
    case 'onnx':
      return { kind: 'onnx', model, prefixes, mayDownload: values.CONTEXT_EMBEDDER_DOWNLOAD === '1' };
    case 'http':
      return {
        kind: 'http',
        url: values.CONTEXT_EMBEDDER_URL ?? '',
        apiKey: values.CONTEXT_EMBEDDER_API_KEY ?? null,
        model,
        queryModel: values.CONTEXT_EMBEDDER_QUERY_MODEL ?? null,
        prefixes,
        dimensions,
      };
    case 'database':
      return { kind: 'database', model, dimensions };
    default:
      return values.CONTEXT_EMBEDDER satisfies never;
  }
}

function rerankerOf(values: ModelValues): RerankerSettings {
  const { CONTEXT_RERANKER_MODEL: model, CONTEXT_RERANKER_SHAPE: rerankShape = 'cohere' } = values;
  switch (values.CONTEXT_RERANKER) {
    case 'built-in':
      return { kind: 'built-in' };
    case 'onnx':
      return { kind: 'onnx', model: model ?? '' };
    case 'http':
      if (rerankShape !== 'tei' && model === undefined) {
        throw invalid('CONTEXT_RERANKER_MODEL', `is not set, but CONTEXT_RERANKER_SHAPE is ${rerankShape}`);
      }
      return {
        kind: 'http',
        url: values.CONTEXT_RERANKER_URL ?? '',
        apiKey: values.CONTEXT_RERANKER_API_KEY ?? null,
        shape: rerankShape,
        model: model ?? null,
      };
    case 'database':
      return { kind: 'database', model: model ?? '' };
    default:
      return values.CONTEXT_RERANKER satisfies never;
  }
}

/** The keys of services: nothing may write them. */
export function modelSecrets(values: ModelValues): readonly string[] {
  return [values.CONTEXT_EMBEDDER_API_KEY, values.CONTEXT_RERANKER_API_KEY].filter((secret) => secret !== undefined);
}

function invalid(variable: string, problem: string): MemoryError {
  return new MemoryError('invalid_configuration', `${variable} ${problem}.`, { variable });
}
