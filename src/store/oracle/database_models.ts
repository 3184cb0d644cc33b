// Which models a login may use, as the database's dictionary tells it, and what makes one unfit for its work.

import { z } from 'zod';
import { MemoryError } from '../../model/errors.ts';
import type { Session } from '../statements/session.ts';
import { isIdentifier } from './statements.ts';

/** A model in the database. */
export interface DatabaseModel {
  readonly name: string;
  /** EMBEDDING, REGRESSION, or another of the database's own words. */
  readonly purpose: string;
  /** Names of its inputs, sorted. */
  readonly inputs: readonly string[];
  /** Of an embedder's vectors; null where the database does not say. */
  readonly dimensions: number | null;
}

/** What a model is asked to be, and the variable of the configuration that names it. */
export interface WantedModel {
  readonly name: string;
  readonly variable: string;
  /** Of an embedder; null for a reranker. */
  readonly dimensions: number | null;
}

const modelColumns = z.object({
  name: z.string(),
  purpose: z.string(),
  inputs: z.array(z.string()).nullable(),
  vector_type: z.string().nullable(),
});

/** The models of the owner that the session's login may use, by name. */
export async function readModels(session: Session): Promise<readonly DatabaseModel[]> {
  return (await session.all('database_models')).map((row) => {
    const { name, purpose, inputs, vector_type: type } = modelColumns.parse(row);
    const [, dimensions = null] = /^VECTOR\((\d+)\b/.exec(type ?? '') ?? [];
    return { name, purpose, inputs: inputs ?? [], dimensions: dimensions === null ? null : Number(dimensions) };
  });
}

const embedding = 'EMBEDDING';

/** True for a model that reads a question and a text together. */
export function canRerank({ purpose, inputs }: DatabaseModel): boolean {
  return purpose !== embedding && inputs.length === 2 && inputs.every(isIdentifier);
}

/** True for a model that makes a vector of one text. */
export function canEmbed({ purpose, inputs }: DatabaseModel): boolean {
  return purpose === embedding && inputs.length === 1 && inputs.every(isIdentifier);
}

/** The model that is wanted. Throws `invalid_configuration` with the variable's name where none can be it. */
export function requireModel(models: readonly DatabaseModel[], wanted: WantedModel): DatabaseModel {
  const { name, variable, dimensions } = wanted;
  const model = models.find((one) => one.name === name);
  if (model === undefined) {
    throw unfit(variable, `The database has no model ${name} of ${variable} that this login may use. Run models.sql.`);
  }
  if (!(dimensions === null ? canRerank(model) : canEmbed(model))) {
    const work = dimensions === null ? 'reads a question and a text together' : 'makes a vector of one text';
    throw unfit(variable, `The model ${name} of ${variable} is not one that ${work}.`);
  }
  if (dimensions !== null && model.dimensions !== null) requireDimensions(wanted, model.dimensions);
  return model;
}

/** Throws `invalid_configuration` for vectors of another length than those that are wanted. */
export function requireDimensions({ name, dimensions }: WantedModel, given: number): void {
  if (given === dimensions) return;
  const variable = 'CONTEXT_EMBEDDER_DIMENSIONS';
  throw unfit(variable, `The model ${name} makes vectors of ${given} dimensions, and ${variable} says ${dimensions}.`);
}

/** Throws `invalid_configuration` for what cannot be the name of a model. */
export function requireModelName({ name, variable }: WantedModel): void {
  if (isIdentifier(name)) return;
  throw unfit(variable, `${variable} is no name of a model: capital letters, digits, _, $ and #, a letter first.`);
}

function unfit(variable: string, sentence: string): MemoryError {
  return new MemoryError('invalid_configuration', sentence, { variable });
}
