// The variables that say which embedder and which reranker measure text: what they mean, and what each may be.

import { z } from 'zod';
import { id, oneOf } from './config_values.ts';

/** The variables of models, as the README's table lists them. */
export const modelVariables = [
  {
    name: 'CONTEXT_EMBEDDER',
    default: 'built-in',
    meaning: 'Makes vectors of texts: `built-in`, `onnx` on this machine, `http` at a service, or `database`.',
  },
  {
    name: 'CONTEXT_EMBEDDER_MODEL',
    default: '',
    meaning: 'onnx: absolute path of a folder, or ORG/NAME in the hub cache; http and database: name of the model.',
  },
  {
    name: 'CONTEXT_EMBEDDER_QUERY_MODEL',
    default: '',
    meaning: 'http: another model for questions, where a service has one for each.',
  },
  {
    name: 'CONTEXT_EMBEDDER_QUERY_PREFIX',
    default: '',
    meaning: 'onnx and http: what is put before each question, such as "query: ".',
  },
  {
    name: 'CONTEXT_EMBEDDER_TEXT_PREFIX',
    default: '',
    meaning: 'onnx and http: what is put before each memory, such as "passage: ".',
  },
  {
    name: 'CONTEXT_EMBEDDER_URL',
    default: '',
    meaning: 'http: base address of an OpenAI-compatible service; texts of memory are sent to ADDRESS/embeddings.',
  },
  {
    name: 'CONTEXT_EMBEDDER_API_KEY',
    default: '',
    meaning: 'Key for CONTEXT_EMBEDDER_URL; never logged.',
    secret: true,
  },
  {
    name: 'CONTEXT_EMBEDDER_DIMENSIONS',
    default: '',
    meaning: 'http and database: how many numbers a vector has, 2 to 4096.',
  },
  {
    name: 'CONTEXT_EMBEDDER_DOWNLOAD',
    default: '0',
    meaning: '1: onnx may fetch ORG/NAME from huggingface.co when this machine does not have it.',
  },
  {
    name: 'CONTEXT_RERANKER',
    default: 'built-in',
    meaning: 'Measures what was found: `built-in`, `onnx` on this machine, `http` at a service, or `database`.',
  },
  {
    name: 'CONTEXT_RERANKER_MODEL',
    default: '',
    meaning: 'onnx: folder or ORG/NAME as for the embedder, never fetched; http and database: name of the model.',
  },
  {
    name: 'CONTEXT_RERANKER_URL',
    default: '',
    meaning: 'http: base address of a service; the question and texts of memory are sent to ADDRESS/rerank.',
  },
  {
    name: 'CONTEXT_RERANKER_API_KEY',
    default: '',
    meaning: 'Key for CONTEXT_RERANKER_URL; never logged.',
    secret: true,
  },
  {
    name: 'CONTEXT_RERANKER_SHAPE',
    default: '',
    meaning: 'http: whose requests and answers the service knows: `cohere`, `jina` or `tei`.',
  },
] as const;

/** Where a model may be. */
export const modelKinds = ['built-in', 'onnx', 'http', 'database'] as const;

const address = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'is no http or https address')
  .refine((text) => !URL.canParse(text) || new URL(text).password === '', 'holds a password; the key has a variable')
  .refine(
    (text) => !URL.canParse(text) || new URL(text).search === '',
    'holds a question mark; only a path may follow',
  );

const key = z.string().regex(/^[\u0021-\u007e]+$/, 'holds a character that no key has');

const prefix = z
  .string()
  .max(500, 'is longer than 500 characters')
  .refine((text) => text.isWellFormed() && !text.includes('\u0000'), 'holds a character that no text has');

const fewestDimensions = 2;
const mostDimensions = 4096;

/** What each of the variables may be. */
export const modelShape = {
  CONTEXT_EMBEDDER: oneOf(modelKinds).default('built-in'),
  CONTEXT_EMBEDDER_MODEL: id.optional(),
  CONTEXT_EMBEDDER_QUERY_MODEL: id.optional(),
  CONTEXT_EMBEDDER_QUERY_PREFIX: prefix.optional(),
  CONTEXT_EMBEDDER_TEXT_PREFIX: prefix.optional(),
  CONTEXT_EMBEDDER_URL: address.optional(),
  CONTEXT_EMBEDDER_API_KEY: key.optional(),
  CONTEXT_EMBEDDER_DIMENSIONS: z
    .string()
    .refine(
      (text) => /^\d{1,4}$/.test(text) && Number(text) >= fewestDimensions && Number(text) <= mostDimensions,
      `is no whole number from ${fewestDimensions} to ${mostDimensions}`,
    )
    .transform(Number)
    .optional(),
  CONTEXT_EMBEDDER_DOWNLOAD: oneOf(['0', '1']).optional(),
  CONTEXT_RERANKER: oneOf(modelKinds).default('built-in'),
  CONTEXT_RERANKER_MODEL: id.optional(),
  CONTEXT_RERANKER_URL: address.optional(),
  CONTEXT_RERANKER_API_KEY: key.optional(),
  CONTEXT_RERANKER_SHAPE: oneOf(['cohere', 'jina', 'tei']).optional(),
};
