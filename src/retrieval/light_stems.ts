// Light stemmers beside the English one (design Q2): endings that inflection adds, cut off so that the forms of a word meet.

/** How a language's words are cut: one prefix and one ending at most, and never below so many code units. */
interface LightStemmer {
  readonly prefixes: readonly string[];
  readonly endings: readonly string[];
  readonly least: number;
}

const list = (text: string): readonly string[] =>
  text
    .trim()
    .split(/\s+/)
    .toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));

const stemmer = (least: number, endings: string, prefixes = ''): LightStemmer => ({
  prefixes: prefixes === '' ? [] : list(prefixes),
  endings: list(endings),
  least,
});

const german = stemmer(4, 'ungen ung ern em en er es et e s n t st te ten tet');

const french = stemmer(
  4,
  `issements issement ements ement ations ation ations euses euse eurs eur ives ive ifs if ees ee es er ez ent ants ant
   ait aient aux al eaux eau e s x`,
);

// Spanish and Portuguese are told apart badly by short texts and inflect alike: one stemmer serves both.
const iberian = stemmer(
  4,
  `amientos amiento imientos imiento imentos imento amentos amento aciones acion acoes acao iciones icion icoes icao ciones
   cion coes cao adores adoras ador adora mente idades idade idad ando iendo endo aron ieron aram eram iram aban avam
   amos emos imos ados adas ado ada idos idas ido ida aba ava ara era ira an en am em ar er ir es os as a o e s`,
);

const russian = stemmer(
  3,
  `иями ями ами иях ях ах ого его ому ему ыми ими иеи еи ои ии ыи ая яя ое ее ые ие ую юю ов ев ам ям ом ем ием ть ти
   ла ло ли ал ил ет ит ют ут ат ят ается ится уется и ы а я о е у ю ь и ия ию`,
);

const arabic = stemmer(3, 'ها هم ات ان ون ين يه ية ه ة ي', 'وال بال كال فال لل ال');

const hindi = stemmer(2, 'ियों ियाँ ियां ाओं ाएं ाएँ ुओं ों ें ीं ी ा े ि ो ु ू ने ना नी ता ती ते');

const byLanguage: ReadonlyMap<string, LightStemmer> = new Map([
  ['de', german],
  ['fr', french],
  ['es', iberian],
  ['pt', iberian],
]);

const byScript: readonly (readonly [RegExp, LightStemmer])[] = [
  [/\p{Script=Cyrillic}/u, russian],
  [/\p{Script=Arabic}/u, arabic],
  [/\p{Script=Devanagari}/u, hindi],
];

/** The stem of a folded word in a script that one stemmer here is for; null for other scripts. */
export function stemByScript(word: string): string | null {
  const found = byScript.find(([script]) => script.test(word));
  return found === undefined ? null : cutWord(word, found[1]);
}

/** The stem of a folded word of the Latin script in the language; null where there is no stemmer for it. */
export function stemByLanguage(word: string, language: string): string | null {
  const found = byLanguage.get(language);
  return found === undefined || !/^[a-z]+$/.test(word) ? null : cutWord(word, found);
}

function cutWord(word: string, { prefixes, endings, least }: LightStemmer): string {
  const prefix = prefixes.find((start) => word.startsWith(start) && word.length - start.length >= least) ?? '';
  const rest = word.slice(prefix.length);
  const ending = endings.find((end) => rest.endsWith(end) && rest.length - end.length >= least) ?? '';
  return rest.slice(0, rest.length - ending.length);
}
