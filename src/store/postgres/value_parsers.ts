// How values of the database become values of the program, the same on every engine of this dialect.

/** The types that need more than a driver's own reading, by the number that PostgreSQL gave them. */
export const typeNumbers = {
  bigint: 20,
  textArray: 1009,
  bigintArray: 1016,
  timestamptz: 1184,
  timestamptzArray: 1185,
};

/** A bigint as a number. Throws RangeError for one that a number does not hold exactly. */
export function exactInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`the whole number ${text} is not exact as a number`);
  return value;
}

/** A time stays the database's text: a Date has no microseconds. */
export function sameText(text: string): string {
  return text;
}
