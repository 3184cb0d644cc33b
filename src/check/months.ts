// Names of months in the languages of the check, and which of them are also common words.

const names: readonly string[] = [
  'january jan januar jänner janvier janv enero ene janeiro',
  'february feb februar févr février febrero fevereiro fev',
  'march mar märz mrz mars marzo março',
  'april apr avril avr abril abr',
  'may mai mayo maio',
  'june jun juni juin junio junho',
  'july jul juli juillet juil julio julho',
  'august aug août agosto ago',
  'september sept sep septembre septiembre setembro set',
  'october oct oktober okt octobre octubre outubro out',
  'november nov novembre noviembre novembro',
  'december dec dezember dez décembre déc diciembre dic dezembro',
];

/** The month, 1 to 12, by any of its names in lower case. */
export const months: ReadonlyMap<string, number> = new Map(
  names.flatMap((list, place) => list.split(' ').map((name): readonly [string, number] => [name, place + 1])),
);

/** Common words of some language, which name a month only beside a year. */
export const doubtfulMonths: ReadonlySet<string> = new Set(['mar', 'set', 'out', 'ago', 'dec', 'jan', 'sep']);

/** Words or short forms that name a month alone only after a preposition. */
export const rarelyAlone: ReadonlySet<string> = new Set(['may', 'march', 'mai', 'mars', 'mayo', 'maio']);

/** All names, longest first, for a pattern. */
export const monthPattern: string = [...months.keys()]
  .toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1))
  .join('|');
