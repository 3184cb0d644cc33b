// Escaping (design A3): text that cannot close a tag, forge an attribute or hide its order, and decodes exactly.

/**
 * Characters shown as marks: controls but tab and line feed, bidirectional controls, lone surrogates (a class of
 * surrogates matches only those), U+FFFE, U+FFFF, and the bracket that opens a mark.
 */
const marked =
  // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\u27E6\uFFFE\uFFFF\uD800-\uDFFF]/gu;

const markupInText = /[&<>]/g;
const markupInAttribute = /[&<>"]/g;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** Shows unsafe characters as marks like ⟦U+202E⟧ and leaves markup alone; for text outside XML. */
export function markUnsafe(text: string): string {
  return text.replace(marked, markOf);
}

/** Escapes the text of an element: marks, and `&`, `<`, `>` as entities. {@link unescape} gives the text back exactly. */
export function escapeText(text: string): string {
  return markUnsafe(text).replace(markupInText, entityOf);
}

/** Escapes an attribute's value: as {@link escapeText}, also `"`; tab and line feed, which XML would fold, become marks. */
export function escapeAttribute(text: string): string {
  return markUnsafe(text)
    .replace(/[\t\n]/g, markOf)
    .replace(markupInAttribute, entityOf);
}

/** Decodes what {@link escapeText} or {@link escapeAttribute} made. */
export function unescape(escaped: string): string {
  return escaped.replace(
    /⟦U\+([0-9A-F]{4})⟧|&(amp|lt|gt|quot);/g,
    (whole: string, code: string | undefined, name: string | undefined) =>
      code === undefined ? (characters[name ?? ''] ?? whole) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function markOf(character: string): string {
  return `⟦U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟧`;
}

function entityOf(character: string): string {
  return entities[character] ?? character;
}
