// Which language a text is in (design Q1, Q2): by its script, or by the function words that it holds.

import { stopWords } from './words.ts';

/** Function words that tell languages of the Latin script apart, folded. */
const functionWords: Readonly<Record<string, ReadonlySet<string>>> = {
  en: stopWords,
  de: wordSet(
    `der die das den dem des ist sind war wie was welche welcher wer und oder nicht ein eine einen einem einer fur mit
     auf wir ich sie noch von zu im am zum zur wird werden wurde bei nach uber aus wann wo hat haben sich kein keine`,
  ),
  fr: wordSet(
    `le la les est sont etait que quel quelle quels quelles comment et un une des pour avec sur nous vous du dans au aux
     ce cette il elle ils qui ou ne pas par plus sans quand chaque se son sa ses`,
  ),
  es: wordSet(
    `el la los las es son era que cual cuales como y un una unos para con sobre del en se por cuanto cuando donde no su
     sus lo al quien esta este cada sin fue`,
  ),
  pt: wordSet(
    `o a os as e sao era que qual quais como um uma para com sobre do da dos das no na nos nas em se por foi quando onde
     nao seu sua ao pelo pela quem cada sem`,
  ),
  it: wordSet(
    `il lo gli e sono era che quale come un una per con su della del dei nel nella di perche dove quando non chi ogni`,
  ),
};

/** Scripts that name a language by themselves. Kana comes before Han: Japanese has both. */
const scriptLanguages: readonly (readonly [language: string, script: RegExp])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ['zh', /\p{Script=Han}/u],
  ['ko', /\p{Script=Hangul}/u],
  ['th', /\p{Script=Thai}/u],
  ['ru', /\p{Script=Cyrillic}/u],
  ['ar', /\p{Script=Arabic}/u],
  ['he', /\p{Script=Hebrew}/u],
  ['el', /\p{Script=Greek}/u],
  ['hi', /\p{Script=Devanagari}/u],
];

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Languages whose script the text holds, Japanese rather than Chinese where kana stand beside Han. */
export function languagesByScript(text: string): readonly string[] {
  const scripts = scriptLanguages.filter(([, script]) => script.test(text)).map(([language]) => language);
  return scripts.includes('ja') ? scripts.filter((language) => language !== 'zh') : scripts;
}

/** Languages of the Latin script of whose function words the folded words hold most distinct ones: sorted, or none. */
export function languagesByWords(words: Iterable<string>): readonly string[] {
  const distinct = [...new Set(words)];
  const counted = Object.entries(functionWords)
    .map(([language, own]) => ({ language, count: distinct.filter((word) => own.has(word)).length }))
    .filter(({ count }) => count > 0);
  const most = counted.reduce((best, { count }) => Math.max(best, count), 0);
  return counted
    .filter(({ count }) => count === most)
    .map(({ language }) => language)
    .toSorted((a, b) => (a < b ? -1 : 1));
}

/** True for a function word of the language, folded. */
export function isFunctionWord(language: string, word: string): boolean {
  return functionWords[language]?.has(word) ?? false;
}
