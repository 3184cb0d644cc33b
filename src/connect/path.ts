// Where a value stands in a file: the names that lead to it, from the outermost table inwards.

/** Names from the outermost table inwards. */
export type Path = readonly string[];

/** A table of a file as a value; what stands in it may be more than JSON has, such as the dates of TOML. */
export type TableValue = Readonly<Record<string, unknown>>;

/** True for an object that is no list and no date. */
export function isTable(value: unknown): value is TableValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** The value at a path; undefined where there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, name) => (isTable(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  );
}
