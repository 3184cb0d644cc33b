// Tools are rows (design T2): which ones a caller may list and call, and whether their arguments are right.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { canonicalHash } from '../assembly/hash.ts';
import { effectiveRows } from '../assembly/effective_rows.ts';
import { admission } from '../auth/access_policy.ts';
import { MemoryError } from '../model/errors.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Tool } from '../model/memory.ts';
import type { Scope } from '../model/scope.ts';
import type { EvaluationTime } from '../model/time.ts';
import { handlerOf, type HandlerDescription } from './handlers.ts';
import type { ListedTool } from './manager.ts';
import type { ManagerLog } from './parts.ts';

/** The largest schema and the deepest nesting that hosts are known to take. */
const maxSchemaBytes = 16_384;
const maxSchemaDepth = 12;
const maxUsageNotes = 4_000;
const toolNameForm = /^[A-Za-z0-9_-]{1,64}$/;

/** A tool whose row is sound, with its handler. */
export interface UsableTool {
  readonly tool: Tool;
  readonly handler: HandlerDescription;
}

/** What is wrong with a row, or null; a row is judged when it is written and each time it is read. */
export function toolProblem(tool: Pick<Tool, 'name' | 'schema' | 'handler' | 'usageNotes'>): string | null {
  if (!toolNameForm.test(tool.name)) return 'tool_name must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -';
  if (handlerOf(tool.handler) === null) return `tool_handler "${tool.handler}" is not one of the manager's`;
  if (tool.usageNotes.length > maxUsageNotes) return `usage_notes is longer than ${maxUsageNotes} characters`;
  return schemaProblem(tool.schema);
}

function schemaProblem(schema: JsonObject): string | null {
  if (schema['type'] !== 'object') return 'tool_schema must be a JSON Schema of type object';
  if (JSON.stringify(schema).length > maxSchemaBytes) return `tool_schema is larger than ${maxSchemaBytes} bytes`;
  const shape = shapeProblem(schema, 0);
  if (shape !== null) return shape;
  try {
    validatorOf(schema);
    return null;
  } catch (error) {
    return `tool_schema is not a valid JSON Schema 2020-12: ${error instanceof Error ? error.message : 'unreadable'}`;
  }
}

function shapeProblem(value: JsonValue, depth: number): string | null {
  if (typeof value !== 'object' || value === null) return null;
  if (depth > maxSchemaDepth) return `tool_schema is nested deeper than ${maxSchemaDepth} levels`;
  if (!Array.isArray(value)) {
    const object = value as JsonObject;
    // Hosts drop a tool, some the whole list, whose schema points outside itself or leaves an array open.
    if ('$schema' in object || '$ref' in object || '$dynamicRef' in object) return 'tool_schema must be self-contained';
    if (object['type'] === 'array' && object['items'] === undefined) return 'an array in tool_schema lacks items';
    const properties = Object.values((object['properties'] ?? {}) as JsonObject);
    if (properties.some((property) => typeof property !== 'object' || property === null)) {
      return 'a property in tool_schema is not described by an object';
    }
  }
  for (const inner of Object.values(value)) {
    const problem = shapeProblem(inner as JsonValue, depth + 1);
    if (problem !== null) return problem;
  }
  return null;
}

const validators = new Map<string, ValidateFunction>();
const maxValidators = 500;

/** Compiled once per schema; additional properties are refused even where the row forgot to say so. */
function validatorOf(schema: JsonObject): ValidateFunction {
  const key = canonicalHash(schema);
  const known = validators.get(key);
  if (known !== undefined) return known;
  // Compiling checks each keyword's own type; the meta-schema would say it again and double the time to a first list.
  const ajv = new Ajv2020({
    allErrors: false,
    coerceTypes: false,
    useDefaults: false,
    strict: true,
    strictTypes: false,
    meta: false,
    validateSchema: false,
  });
  const validator = ajv.compile({ ...schema, additionalProperties: schema['additionalProperties'] ?? false });
  if (validators.size >= maxValidators) validators.clear();
  validators.set(key, validator);
  return validator;
}

/** The sound, effective and admitted tools of a scope, by name; broken rows are logged and left out, nothing else is. */
export function usableTools(
  rows: readonly Tool[],
  options: { readonly scope: Scope; readonly at: EvaluationTime; readonly log: ManagerLog },
): readonly UsableTool[] {
  const sound = rows.filter((row) => {
    const problem = toolProblem(row);
    if (problem !== null) options.log.warn({ ref: row.ref, problem }, 'a toolbox row is broken and left out');
    return problem === null;
  });
  return effectiveRows(sound, options.at, (tool) => tool.name).flatMap((tool) => {
    const handler = handlerOf(tool.handler);
    if (handler === null || admission(tool.accessPolicy, options.scope).kind === 'denied') return [];
    return [{ tool, handler }];
  });
}

/** The tool of this name for a call: row read again, policy judged again. Throws `unknown_tool` or `tool_denied`. */
export function toolForCall(tools: readonly UsableTool[], name: string, scope: Scope): UsableTool {
  // A tool denied by role is not listed, so to this caller it does not exist (T2).
  const usable = tools.find(({ tool }) => tool.name === name);
  if (usable === undefined) {
    // What no tool can be called is text of the caller's, which no log is to keep.
    const named = toolNameForm.test(name) ? `named "${name}"` : 'of that name';
    throw new MemoryError('unknown_tool', `There is no tool ${named}.`, {});
  }
  const verdict = admission(usable.tool.accessPolicy, scope);
  if (verdict.kind === 'needs_scope') {
    throw new MemoryError('tool_denied', 'This tool needs a permission that the sign-in did not grant.', {
      tool: name,
      scopes: verdict.scopes,
    });
  }
  return usable;
}

function printable(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '?').slice(0, 64);
}

const maxArgumentBytes = 65_536;

/** Throws `invalid_argument` where arguments are too large as JSON text, or nested so deep that they have none. */
export function checkArgumentSize(args: unknown): void {
  let bytes: number;
  try {
    bytes = Buffer.byteLength(JSON.stringify(args) ?? '');
  } catch (error) {
    throw new MemoryError('invalid_argument', 'The arguments are nested too deep.', { field: 'arguments' }, error);
  }
  if (bytes > maxArgumentBytes) {
    throw new MemoryError('invalid_argument', `The arguments are larger than ${maxArgumentBytes} bytes.`, {
      field: 'arguments',
      bytes,
      max_bytes: maxArgumentBytes,
    });
  }
}

/** Throws `invalid_argument` naming the field and what is wrong with it; never the value. */
export function validateArguments(tool: Tool, args: unknown): JsonObject {
  const validate = validatorOf(tool.schema);
  if (validate(args)) return args as JsonObject;
  const problem = validate.errors?.[0];
  const inside = problem?.instancePath.slice(1).replaceAll('/', '.') ?? '';
  const named: unknown = problem?.params['additionalProperty'] ?? problem?.params['missingProperty'];
  const field = [inside, typeof named === 'string' ? printable(named) : ''].filter((part) => part !== '').join('.');
  const where = field === '' ? 'The arguments' : `The argument "${field}"`;
  const what =
    problem?.keyword === 'additionalProperties'
      ? 'is not one that this tool knows'
      : problem?.keyword === 'required'
        ? 'is missing'
        : (problem?.message ?? 'is not valid');
  throw new MemoryError('invalid_argument', `${where} ${what}.`, { tool: tool.name, field });
}

/** A usable tool as a client sees it. */
export function listedTool({ tool, handler }: UsableTool): ListedTool {
  const { title: rowTitle, ...schema } = tool.schema;
  const title = typeof rowTitle === 'string' ? rowTitle : tool.name;
  return {
    name: tool.name,
    title,
    description: tool.usageNotes,
    inputSchema: { ...schema, additionalProperties: schema['additionalProperties'] ?? false },
    outputSchema: handler.outputSchema,
    annotations: { title, ...handler.hints },
  };
}
