// Units and words for large numbers in the languages of the check, as data.

import type { Language } from './language.ts';

/** A unit: what it measures, and by how many decimal places it differs from that measure's base. */
export interface Unit {
  readonly measure: string;
  readonly shift: number;
}

/** Each line: measure, shift, words. Single letters count only beside a number. */
const unitLines: readonly (readonly [measure: string, shift: number, words: string])[] = [
  ['percent', -2, '% percent pct prozent pourcent パーセント'],
  ['percentage point', 0, 'pp prozentpunkt prozentpunkte prozentpunkten ポイント 百分点'],
  ['second', 0, 's sec secs second seconds sekunde sekunden seconde secondes segundo segundos 秒 秒間 秒钟'],
  [
    'second',
    -3,
    'ms msec millisecond milliseconds millisekunde millisekunden milliseconde millisecondes milisegundo milisegundos milissegundo milissegundos ミリ秒 毫秒',
  ],
  ['second', -6, 'µs us microsecond microseconds mikrosekunden microsecondes microsegundos マイクロ秒 微秒'],
  ['minute', 0, 'min mins minute minutes minuten minuto minutos 分 分間 分钟'],
  ['hour', 0, 'h hr hrs hour hours stunde stunden std heure heures hora horas 時間 小时'],
  ['day', 0, 'd day days tag tage tagen jour jours día días dia dias 日 日間 天'],
  ['week', 0, 'week weeks woche wochen semaine semaines semana semanas 週 週間 周'],
  ['month', 0, 'month months monat monate monaten mois mes meses mês か月 ヶ月 カ月 个月'],
  ['year', 0, 'year years yr yrs jahr jahre jahren an ans année années año años ano anos 年 年間'],
  ['byte', 0, 'byte bytes octet octets'],
  ['byte', 3, 'kb'],
  ['byte', 6, 'mb megabyte megabytes mo'],
  ['byte', 9, 'gb gigabyte gigabytes go'],
  ['byte', 12, 'tb terabyte terabytes'],
  ['kibibyte', 0, 'kib'],
  ['mebibyte', 0, 'mib'],
  ['gibibyte', 0, 'gib'],
  ['metre', -3, 'mm'],
  ['metre', -2, 'cm'],
  ['metre', 0, 'm metre metres meter meters metern mètre mètres metro metros'],
  ['metre', 3, 'km kilometre kilometres kilometer kilometers'],
  ['gram', -3, 'mg'],
  ['gram', 0, 'g gram grams gramm'],
  ['gram', 3, 'kg kilo kilos'],
  ['celsius', 0, '°c'],
  ['fahrenheit', 0, '°f'],
  ['euro', 0, '€ eur euro euros ユーロ 欧元'],
  ['dollar', 0, '$ usd us$ dollar dollars dólar dólares ドル 美元'],
  ['pound', 0, '£ gbp'],
  ['yen', 0, '¥ jpy yen 円'],
  ['yuan', 0, 'cny rmb 元'],
  ['franc', 0, 'chf franken'],
  ['hertz', 0, 'hz'],
  ['hertz', 3, 'khz'],
  ['hertz', 6, 'mhz'],
  ['hertz', 9, 'ghz'],
  ['watt', 0, 'w watt watts'],
  ['watt', 3, 'kw'],
  ['times', 0, 'x × times mal fois veces vezes 倍'],
];

const units: ReadonlyMap<string, Unit> = new Map(
  unitLines.flatMap(([measure, shift, list]) =>
    list.split(' ').map((name): readonly [string, Unit] => [name, { measure, shift }]),
  ),
);

/** Units of two words, as written after a number. */
const twoWordUnits: ReadonlyMap<string, Unit> = new Map([
  ['per cent', { measure: 'percent', shift: -2 }],
  ['pour cent', { measure: 'percent', shift: -2 }],
  ['por ciento', { measure: 'percent', shift: -2 }],
  ['por cento', { measure: 'percent', shift: -2 }],
  ['percentage points', { measure: 'percentage point', shift: 0 }],
  ['percentage point', { measure: 'percentage point', shift: 0 }],
]);

/** Words for powers of ten; `b` and `m` only directly after the digits. */
const scales: ReadonlyMap<string, number> = new Map(
  (
    [
      [3, 'thousand tausend tsd mille mil k 千'],
      [4, '万 萬'],
      [6, 'million millions millionen mio millón millones milhão milhões 百万'],
      [8, '億 亿'],
      [9, 'billion billions bn milliarde milliarden mrd milliard milliards bilhão bilhões'],
      [12, 'trillion trillions billionen billón billones trilhão trilhões 兆'],
    ] as const
  ).flatMap(([power, list]) => list.split(' ').map((name): readonly [string, number] => [name, power])),
);

const gluedScales: Readonly<Record<string, number>> = { k: 3, K: 3, M: 6, B: 9 };

const wordAfter = /(?: |-)?([\p{Script=Latin}\p{M}µ°$€£¥%×]+\$?)(\.?)(?: ([\p{Script=Latin}\p{M}]+))?/uy;
const cjkAfter = / ?[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー]{1,5}/uy;

/** What stands behind a number: a power of ten, a unit, and where they end. */
export interface Suffix {
  readonly power: number;
  readonly unit: Unit | null;
  readonly end: number;
}

/** Reads power and unit behind a number that ends here. */
export function suffixAt(text: string, end: number, language: Language | null): Suffix {
  const scale = scaleAt(text, end, language);
  const unit = unitAt(text, scale.end);
  return { power: scale.power, unit: unit?.unit ?? null, end: unit?.end ?? scale.end };
}

function scaleAt(
  text: string,
  end: number,
  language: Language | null,
): { readonly power: number; readonly end: number } {
  const none = { power: 0, end };
  const cjk = cjkRun(text, end);
  if (cjk !== null) {
    for (let length = Math.min(2, cjk.run.length); length > 0; length -= 1) {
      const power = scales.get(cjk.run.slice(0, length));
      if (power !== undefined) return { power, end: cjk.start + length };
    }
    return none;
  }
  wordAfter.lastIndex = end;
  const found = wordAfter.exec(text);
  const name = found?.[1] ?? '';
  const nameEnd = end + (found?.[0].indexOf(name) ?? 0) + name.length;
  const glued = text.startsWith(name, end) ? gluedScales[name] : undefined;
  if (glued !== undefined) return { power: glued, end: nameEnd };
  const lower = name.toLowerCase();
  if (name === '' || lower === 'k' || lower === 'mille') return none;
  // Half of Europe counts a billion as a million millions.
  const isLong = lower === 'billion' && (language === 'de' || language === 'fr');
  const power = isLong ? 12 : scales.get(lower);
  return power === undefined ? none : { power, end: nameEnd + (found?.[2]?.length ?? 0) };
}

function unitAt(text: string, end: number): { readonly unit: Unit; readonly end: number } | null {
  const cjk = cjkRun(text, end);
  if (cjk !== null) {
    for (let length = cjk.run.length; length > 0; length -= 1) {
      const unit = units.get(cjk.run.slice(0, length));
      if (unit !== undefined) return { unit, end: cjk.start + length };
    }
    return null;
  }
  wordAfter.lastIndex = end;
  const found = wordAfter.exec(text);
  if (found === null) return null;
  const [whole, name = '', , next = ''] = found;
  const two = twoWordUnits.get(`${name} ${next}`.toLowerCase());
  if (two !== undefined) return { unit: two, end: end + whole.length };
  const unit = units.get(name.toLowerCase().replace(/^([%€$£¥]).*$/, '$1'));
  return unit === undefined ? null : { unit, end: end + whole.indexOf(name) + name.length };
}

function cjkRun(text: string, end: number): { readonly run: string; readonly start: number } | null {
  cjkAfter.lastIndex = end;
  const found = cjkAfter.exec(text)?.[0];
  if (found === undefined) return null;
  const run = found.trimStart();
  return { run, start: end + found.length - run.length };
}

const currencyBefore = /(€|\$|£|¥|\b(?:EUR|USD|GBP|JPY|CHF))\s?$/;

/** The currency that stands before a number that starts here. */
export function currencyBeforeNumber(text: string, start: number): Unit | null {
  const name = currencyBefore.exec(text.slice(Math.max(0, start - 5), start))?.[1];
  return name === undefined ? null : (units.get(name.toLowerCase()) ?? null);
}

const columnUnit = /[([]([^\s()[\]]{1,20})[)\]]|\b(?:in|en|em) ([\p{L}µ°$€£¥%]{1,20})/giu;

/** Measures that a text names for numbers that stand elsewhere: `latency (ms)`, `in Euro`. */
export function columnMeasures(text: string): readonly string[] {
  return [...text.matchAll(columnUnit)].flatMap(
    (match) => units.get((match[1] ?? match[2] ?? '').toLowerCase())?.measure ?? [],
  );
}

/** True for what may be glued to digits without making them an identifier: `5GB`, `2k`, `3rd`, `90-day`. */
export function isNumberSuffix(text: string): boolean {
  const lower = text.replace(/^-/, '').toLowerCase();
  return units.has(lower) || scales.has(lower) || text in gluedScales || /^(?:st|nd|rd|th|er|e|º|ª)$/.test(lower);
}
