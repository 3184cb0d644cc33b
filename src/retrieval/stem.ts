// The stemmer of English words (design Q2): the rules of Snowball's English stemmer, on words of a to z alone.

const vowels = 'aeiouy';
const doubles = ['bb', 'dd', 'ff', 'gg', 'mm', 'nn', 'pp', 'rr', 'tt'];

/** Words that the rules would join with others, and what they become. */
const exceptions: ReadonlyMap<string, string> = new Map([
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ...['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'].map((word): [string, string] => [word, word]),
]);

/** Words that are finished once their plural is gone. */
const finished = new Set(['inning', 'outing', 'canning', 'herring', 'earring', 'proceed', 'exceed', 'succeed']);

/** Starts after which the first region begins, whatever the vowels say. */
const regionStarts = ['gener', 'commun', 'arsen'];

/** Endings within the first region, longest first where one ends another. */
const secondStep: readonly (readonly [string, string])[] = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
  ['ogi', 'og'],
  ['li', ''],
];

const thirdStep: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ative', ''],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];

/** Endings that go when they stand in the second region, longest first. */
const fourthStep = 'ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al er ic'.split(' ');

/** The stem of a lower-case word of a to z; two forms of one word mostly share it. Other text comes back as it is. */
export function stem(word: string): string {
  if (word.length <= 2 || !/^[a-z]+$/.test(word)) return word;
  const known = exceptions.get(word);
  if (known !== undefined) return known;
  const marked = word.replace(/^y|(?<=[aeiouy])y/g, 'Y');
  const [first, second] = regions(marked);
  const singular = withoutPlural(marked);
  if (finished.has(singular)) return singular;
  const verb = yToI(withoutVerbEnding(singular, first));
  const noun = shorten(shorten(verb, secondStep, first, first), thirdStep, first, second);
  return withoutLastLetter(withoutFourth(noun, second), first, second).toLowerCase();
}

function isVowel(word: string, at: number): boolean {
  const letter = word[at];
  return letter !== undefined && vowels.includes(letter);
}

function hasVowel(word: string): boolean {
  return /[aeiouy]/.test(word);
}

// A region begins after the first consonant that follows a vowel; the second region is the first one's own.
function regions(word: string): readonly [number, number] {
  const start = regionStarts.find((prefix) => word.startsWith(prefix));
  const first = start === undefined ? regionAfter(word, 0) : start.length;
  return [first, regionAfter(word, first)];
}

function regionAfter(word: string, from: number): number {
  for (let at = from + 1; at < word.length; at += 1) {
    if (!isVowel(word, at) && isVowel(word, at - 1)) return at + 1;
  }
  return word.length;
}

function endsInShortSyllable(word: string): boolean {
  const last = word.length - 1;
  if (word.length === 2) return isVowel(word, 0) && !isVowel(word, 1);
  return (
    !isVowel(word, last) && !'wxY'.includes(word[last] ?? '') && isVowel(word, last - 1) && !isVowel(word, last - 2)
  );
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (word.endsWith('ied') || word.endsWith('ies')) return word.length > 4 ? word.slice(0, -2) : word.slice(0, -1);
  if (word.endsWith('us') || word.endsWith('ss') || !word.endsWith('s')) return word;
  return hasVowel(word.slice(0, -2)) ? word.slice(0, -1) : word;
}

function withoutVerbEnding(word: string, first: number): string {
  const whole = ['eedly', 'eed'].find((ending) => word.endsWith(ending));
  if (whole !== undefined) {
    return word.length - whole.length >= first ? `${word.slice(0, -whole.length)}ee` : word;
  }
  const ending = ['ingly', 'edly', 'ing', 'ed'].find((candidate) => word.endsWith(candidate));
  if (ending === undefined) return word;
  const rest = word.slice(0, -ending.length);
  if (!hasVowel(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (doubles.includes(rest.slice(-2))) return rest.slice(0, -1);
  return first >= rest.length && endsInShortSyllable(rest) ? `${rest}e` : rest;
}

function yToI(word: string): string {
  const last = word.length - 1;
  return /[yY]$/.test(word) && last > 1 && !isVowel(word, last - 1) ? `${word.slice(0, last)}i` : word;
}

function shorten(word: string, endings: readonly (readonly [string, string])[], first: number, second: number): string {
  const found = endings.find(([ending]) => word.endsWith(ending));
  if (found === undefined) return word;
  const [ending, replacement] = found;
  const start = word.length - ending.length;
  if (start < (ending === 'ative' ? second : first)) return word;
  if (ending === 'ogi' && word[start - 1] !== 'l') return word;
  if (ending === 'li' && !'cdeghkmnrt'.includes(word[start - 1] ?? ' ')) return word;
  return word.slice(0, start) + replacement;
}

function withoutFourth(word: string, second: number): string {
  const ending = fourthStep.find((candidate) => word.endsWith(candidate));
  if (ending === undefined) return word;
  const start = word.length - ending.length;
  if (start < second) return word;
  return ending === 'ion' && !'st'.includes(word[start - 1] ?? ' ') ? word : word.slice(0, start);
}

function withoutLastLetter(word: string, first: number, second: number): string {
  const start = word.length - 1;
  if (word.endsWith('e')) {
    const goes = start >= second || (start >= first && !endsInShortSyllable(word.slice(0, start)));
    return goes ? word.slice(0, start) : word;
  }
  return word.endsWith('ll') && start >= second ? word.slice(0, start) : word;
}
