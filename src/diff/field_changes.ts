// Where two JSON values differ: the deepest paths at which they do, lists compared whole.

import type { JsonObject, JsonValue } from '../model/json.ts';
import type { FieldChange } from './difference.ts';

/** Each value that differs by its path, in the order of the first value's keys, then of the second's. */
export function fieldChanges(from: JsonObject, to: JsonObject): readonly FieldChange[] {
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((key) =>
    changesAt(key, from[key] ?? null, to[key] ?? null),
  );
}

function changesAt(path: string, from: JsonValue, to: JsonValue): readonly FieldChange[] {
  if (isObject(from) && isObject(to)) {
    return fieldChanges(from, to).map((change) => ({ ...change, field: `${path}.${change.field}` }));
  }
  return sameJson(from, to) ? [] : [{ field: path, from, to }];
}

/** True for equal JSON; the order of an object's keys does not count. */
export function sameJson(a: JsonValue, b: JsonValue): boolean {
  if (isObject(a) && isObject(b)) return fieldChanges(a, b).length === 0;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value: JsonValue, place) => sameJson(value, b[place] ?? null));
  }
  return a === b;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
