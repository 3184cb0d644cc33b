// Which language a text seems to be in, and how it writes numbers: hints only, they choose between readings.

/** Languages whose words the check knows. */
export type Language = 'en' | 'de' | 'fr' | 'es' | 'pt' | 'ja' | 'zh';

/** Words that are frequent in one language and rare in the others. */
const functionWords: Readonly<Record<'en' | 'de' | 'fr' | 'es' | 'pt', ReadonlySet<string>>> = {
  en: words(
    'the of is was has have had to for that with on at by are not it its this from which and in than were did will can may but into',
  ),
  de: words(
    'der die das und ist nicht auf für mit dem den des ein eine einen wird wurde von vom im zum laut beträgt liegt hat sich als am bei kein keine war sind nach in zu wie auch aber',
  ),
  fr: words(
    "le la les des est et dans pour une du au aux sur avec pas selon été que ne un par plus ce cette d l qu n'a n'est",
  ),
  es: words(
    'el los las es en para con una del por según fue ha y no que su al lo se más está la de un fueron también hasta pero día',
  ),
  pt: words(
    'o os as é em para com uma do da dos das no na por foi não que são ao pelo pela mais está de um e segundo dia foram também até mas já às aos',
  ),
};

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** Letters that are frequent in one of them alone. */
const ownLetters: Readonly<Partial<Record<Language, RegExp>>> = {
  de: /[äöüß]/i,
  fr: /[èêœùî]/i,
  es: /[ñ¿¡]/i,
  pt: /[ãõ]/i,
};

const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const han = /\p{Script=Han}/u;
const word = /[\p{Script=Latin}\p{M}]+(?:'[\p{Script=Latin}\p{M}]+)?/gu;
/** Enough of a long text to know its language. */
const longestSample = 20_000;

/** The language of a text, or null where its words do not tell. */
export function languageOf(text: string): Language | null {
  const sample = text.slice(0, longestSample);
  if (kana.test(sample)) return 'ja';
  if (han.test(sample)) return 'zh';
  const counts = new Map<Language, number>();
  for (const [language, letters] of Object.entries(ownLetters) as [Language, RegExp][]) {
    if (letters.test(sample)) counts.set(language, 1);
  }
  for (const [found] of sample.matchAll(word)) {
    const lower = found.toLowerCase();
    for (const [language, known] of Object.entries(functionWords) as [Language, ReadonlySet<string>][]) {
      if (known.has(lower)) counts.set(language, (counts.get(language) ?? 0) + 1);
    }
  }
  const [first, second] = [...counts].toSorted(([, a], [, b]) => b - a);
  return first === undefined || first[1] === second?.[1] ? null : first[0];
}

/** What stands between a whole number and its fraction. */
export type DecimalMark = 'point' | 'comma';

const pointFraction = /(?<![\d.,])(?:0\.\d+|\d+\.\d{1,2}|\d{1,3}(?:,\d{3})+\.\d+)(?![\d.,]\d|\d|\.\d)/;
const commaFraction = /(?<![\d.,])(?:0,\d+|\d+,\d{1,2}|\d{1,3}(?:\.\d{3})+,\d+)(?![\d.,]\d|\d|,\d)/;

/** The mark that the text's own clear numbers use, or else its language; null where the two disagree or neither tells. */
export function decimalMarkOf(folded: string, language: Language | null): DecimalMark | null {
  const point = pointFraction.test(folded);
  const comma = commaFraction.test(folded);
  const seen = point === comma ? null : point ? 'point' : 'comma';
  const usual = usualMark(language);
  if (seen !== null && usual !== null) return seen === usual ? seen : null;
  return seen ?? usual;
}

function usualMark(language: Language | null): DecimalMark | null {
  if (language === null) return null;
  return language === 'en' || language === 'ja' || language === 'zh' ? 'point' : 'comma';
}
