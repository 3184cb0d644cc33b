// Design D8: text is made well-formed on its way in; U+0000, which no text column can hold, is refused.

import { MemoryError } from '../model/errors.ts';

/**
 * The text with lone surrogates as U+FFFD. Throws `text_refused` naming the field for U+0000.
 */
function wellFormedText(text: string, field: string): string {
  if (text.includes('\u0000')) {
    throw new MemoryError('text_refused', `The field ${field} holds the character U+0000, which cannot be stored.`, {
      field,
    });
  }
  return text.isWellFormed() ? text : text.toWellFormed();
}

/**
 * The value with every text in it made well-formed, keys of objects too; what is no text, list or plain object stays as
 * it is (vectors, maps of terms). Throws `text_refused` naming the field by its path.
 */
export function wellFormed<Value>(value: Value, field: string): Value {
  // Nearly all of what is written needs nothing: it is looked through first, without a copy and without names of fields.
  return isWellFormed(value) ? value : (cleaned(value, field) as Value);
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\u0000');
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isPlainObject(value)) return true;
  for (const key of Object.keys(value)) if (!isWellFormed(key) || !isWellFormed(value[key])) return false;
  return true;
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function cleaned(value: unknown, field: string): unknown {
  if (typeof value === 'string') return wellFormedText(value, field);
  if (Array.isArray(value)) return value.map((item: unknown, index) => cleaned(item, `${field}[${index}]`));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const name = wellFormedText(key, field);
      return [name, cleaned(inner, field === '' ? name : `${field}.${name}`)];
    }),
  );
}
