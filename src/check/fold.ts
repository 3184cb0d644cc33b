// Characters that mean the same become one, unit for unit, so that places in the folded text are places in the answer.

/** Several characters of one meaning: the range or set, and what each becomes. */
const folded =
  /[\uFF01-\uFF5E\u0660-\u0669\u06F0-\u06F9\u0966-\u096F\u2010-\u2013\u2212\u2018\u2019\u02BC\u00A0\u2000-\u200A\u202F\u205F\u3000\u066A\u3010\u3011]/g;

const digitZeros = [0x0660, 0x06f0, 0x0966];

/**
 * Full-width forms and digits of other scripts as ASCII, hyphens, minus and en dash as `-`, apostrophes as `'`, every
 * space within a line as U+0020, lenticular brackets as square ones. The length never changes.
 */
export function fold(text: string): string {
  return text.replace(folded, (character) => {
    const code = character.charCodeAt(0);
    if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
    const zero = digitZeros.find((start) => code >= start && code < start + 10);
    if (zero !== undefined) return String(code - zero);
    if ((code >= 0x2010 && code <= 0x2013) || code === 0x2212) return '-';
    if (code === 0x2018 || code === 0x2019 || code === 0x02bc) return "'";
    if (code === 0x066a) return '%';
    if (code === 0x3010) return '[';
    return code === 0x3011 ? ']' : ' ';
  });
}

/** The text with a span blanked out, so that no later reading finds it; places stay. */
export function blanked(text: string, spans: readonly { readonly start: number; readonly end: number }[]): string {
  if (spans.length === 0) return text;
  let result = '';
  let at = 0;
  for (const { start, end } of spans) {
    if (start < at) continue;
    result += text.slice(at, start) + blank.repeat(end - start);
    at = end;
  }
  return result + text.slice(at);
}

/** What blanked text is made of: no letter, no digit, no space. */
export const blank = '\uFFFC';
