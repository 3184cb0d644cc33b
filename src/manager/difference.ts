// Where two JSON values first differ (design R1): keys in code-unit order, so that the answer is always the same.

import type { JsonObject, JsonValue } from '../model/json.ts';

/** A place, and what stands there on either side; null stands for what is not there. */
export interface ValueDifference {
  readonly path: string;
  readonly recorded: JsonValue;
  readonly rebuilt: JsonValue;
}

/** The first difference as a JSON path below `$`, or null. */
export function firstDifference(recorded: JsonValue, rebuilt: JsonValue, path = '$'): ValueDifference | null {
  if (Array.isArray(recorded) && Array.isArray(rebuilt)) return listDifference(recorded, rebuilt, path);
  if (isObject(recorded) && isObject(rebuilt)) {
    for (const key of [...new Set([...Object.keys(recorded), ...Object.keys(rebuilt)])].toSorted()) {
      const found = firstDifference(recorded[key] ?? null, rebuilt[key] ?? null, `${path}.${key}`);
      if (found !== null) return found;
    }
    return null;
  }
  return recorded === rebuilt ? null : { path, recorded, rebuilt };
}

function listDifference(
  recorded: readonly JsonValue[],
  rebuilt: readonly JsonValue[],
  path: string,
): ValueDifference | null {
  for (let index = 0; index < Math.max(recorded.length, rebuilt.length); index += 1) {
    const found = firstDifference(recorded[index] ?? null, rebuilt[index] ?? null, `${path}[${index}]`);
    if (found !== null) return found;
  }
  return null;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first place, in UTF-16 code units, at which two texts part. */
export function partingOf(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}
