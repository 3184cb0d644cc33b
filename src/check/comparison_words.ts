// Words that compare, in the languages of the check, as data: which way they point, and which measures are better low.

/** `up`: the first is more or better; `down`: less or worse; `other`: it cannot be told from the word. */
export type Direction = 'up' | 'down' | 'other';

/** A pattern with its direction. `superlative`: one stands out of all; else two are compared. */
export interface ComparisonCue {
  readonly pattern: RegExp;
  readonly direction: Direction;
  readonly superlative: boolean;
}

const word = (words: string): string => `(?<![\\p{L}\\p{M}\\p{N}-])(?:${words})(?![\\p{L}\\p{M}\\p{N}])`;

function cue(direction: Direction, kind: 'superlative' | 'comparative', latin: string, cjk = ''): ComparisonCue {
  const pattern = [...(latin === '' ? [] : [word(latin)]), ...(cjk === '' ? [] : [cjk])].join('|');
  return { pattern: new RegExp(pattern, 'giu'), direction, superlative: kind === 'superlative' };
}

/** Cues in the order of trying: where two overlap, the earlier one counts. */
export const comparisonCues: readonly ComparisonCue[] = [
  cue(
    'up',
    'comparative',
    'outperform(?:s|ed|ing)?|beats?|surpass(?:es|ed)?|exceed(?:s|ed)?|outscor(?:es|ed)|ahead of|superior to|(?:better|higher|faster|larger|greater|bigger|stronger|more|longer|older|later|newer|safer|cheaper) (?:\\S+ ){0,3}?than|' +
      '[uü]bertrifft|[uü]bertreffen|schl[aä]gt|[uü]berlegen|(?:besser|h[oö]her|schneller|gr[oö](?:ß|ss)er|st[aä]rker|mehr|l[aä]nger|[aä]lter|sp[aä]ter|neuer|sicherer|g[uü]nstiger)\\p{L}* (?:\\S+ ){0,3}?als|' +
      'd[eé]passe(?:nt)?|surpasse(?:nt)?|bat|sup[eé]rieure?s? (?:à|a)|(?:meilleure?s?|plus \\S+) (?:\\S+ ){0,3}?que|' +
      'supera(?:n|ba)?|superior(?:es)? a|(?:mejor(?:es)?|mayor(?:es)?|m[aá]s \\S+) (?:\\S+ ){0,3}?que|' +
      'superam?|(?:melhor(?:es)?|maior(?:es)?|mais \\S+) (?:\\S+ ){0,3}?(?:do )?que',
    '上回(?:る|って|った|り)|優れて|勝って|勝る|より(?:も|は)?[^。、]{0,12}?(?:高|良|よ|速|優|強|大き|長|多|新し)|优于|高于|超过|胜过|强于|快于|大于|比[^。，]{1,20}?(?:高|好|快|强|大|多|长|新|优)',
  ),
  cue(
    'down',
    'comparative',
    'trail(?:s|ed)?|lag(?:s|ged)?|behind|inferior to|(?:worse|lower|slower|smaller|fewer|less|weaker|shorter|younger|earlier) (?:\\S+ ){0,3}?than|' +
      'unterlegen|(?:schlechter|niedriger|geringer|langsamer|kleiner|weniger|schw[aä]cher|k[uü]rzer|j[uü]nger|fr[uü]her)\\p{L}* (?:\\S+ ){0,3}?als|' +
      'inf[eé]rieure?s? (?:à|a)|(?:pires?|moins \\S+|moins) (?:\\S+ ){0,3}?que|' +
      'inferior(?:es)? a|(?:peor(?:es)?|menor(?:es)?|menos(?: \\S+)?) (?:\\S+ ){0,3}?que|' +
      '(?:pior(?:es)?|menor(?:es)?|menos(?: \\S+)?) (?:\\S+ ){0,3}?(?:do )?que',
    '下回(?:る|って|った|り)|劣(?:る|って)|より(?:も|は)?[^。、]{0,12}?(?:低|悪|遅|弱|小さ|短|少な|古)|低于|不如|弱于|慢于|小于|少于|比[^。，]{1,20}?(?:低|差|慢|弱|小|少|短|旧)',
  ),
  cue(
    'up',
    'superlative',
    'best|strongest|highest|fastest|largest|greatest|biggest|longest|most \\p{L}+|top-ranked|ranked first|number one|unmatched|unrivalled|leads the field|the one to beat|(?:the|its|their) leader|' +
      'am (?:besten|st[aä]rksten|h[oö]chsten|schnellsten|gr[oö](?:ß|ss)ten|meisten|l[aä]ngsten)|(?:beste|st[aä]rkste|h[oö]chste|schnellste|gr[oö](?:ß|ss)te|meiste|l[aä]ngste)[nmrs]?|spitzenreiter|f[uü]hrend|' +
      '(?:le|la|les|du|des) (?:meilleure?s?|plus \\p{L}+)|' +
      '(?:el|la|los|las) (?:mejor(?:es)?|mayor(?:es)?|m[aá]s \\p{L}+)|l[ií]der|' +
      '(?:o|a|os|as) (?:melhor(?:es)?|maior(?:es)?|mais \\p{L}+)|l[ií]der',
    '最も(?!低|悪|遅|弱|小|短|少)|最(?:高|強|良|大|速|優|好|强|快|佳|优|长|多)|一番(?!低|悪|遅|弱|小|短|少)|首位|第一名|トップ',
  ),
  cue(
    'down',
    'superlative',
    'worst|weakest|lowest|slowest|smallest|shortest|fewest|least \\p{L}+|' +
      'am (?:schlechtesten|schw[aä]chsten|niedrigsten|langsamsten|kleinsten|wenigsten)|(?:schlechteste|schw[aä]chste|niedrigste|langsamste|kleinste|k[uü]rzeste)[nmrs]?|schlusslicht|' +
      '(?:le|la|les) (?:pires?|moins \\p{L}+)|(?:el|la|los|las) (?:peor(?:es)?|menor(?:es)?|menos \\p{L}+)|(?:o|a|os|as) (?:pior(?:es)?|menor(?:es)?|menos \\p{L}+)',
    '最(?:低|悪|遅|弱|小|短|少|差|慢)|最も(?:低|悪|遅|弱|小|短|少)|一番(?:低|悪|遅|弱|小|短|少)|最下位',
  ),
  cue(
    'other',
    'comparative',
    '(?!other|rather|either|neither|whether|further|another|together|never|over|under|after|later|longer|order|number|user)\\p{L}{3,}er than',
  ),
  cue(
    'other',
    'superlative',
    '(?:the|its|their) (?!latest|rest|test|request|interest|west|east|past|best|first|last|list|most|least|guest|forest|contest|nearest)\\p{L}{3,}est',
  ),
];

/** What looks like a comparison and is none. */
export const falseComparisons: RegExp = new RegExp(
  `${word('at best|best practices?|best effort|best-effort|at most|most of|most likely|rather than|other than|m[aá]s de|plus de|no more|once more|more than once|la plupart|a? ?m[aá]s tardar|sp[aä]testens|wenigstens|m[oö]glichst|n[aä]chste\\p{L}*|letzte\\p{L}*|erste\\p{L}*')}|最近|最后|最終|最新|最初|最低限|最大限`,
  'giu',
);

/** Parts of a predicate's name that say that less is better, and that more is. */
export const betterLow: RegExp = /latency|duration|delay|error|cost|price|loss|time|perplexity|failure|age|wait/i;
/** See {@link betterLow}. */
export const betterHigh: RegExp =
  /ndcg|recall|precision|accuracy|score|mrr|f1|success|throughput|rate|auc|bleu|rouge|uptime|coverage/i;

/** Cues that say which way the value goes, whatever is better. */
export const plainSize: RegExp =
  /higher|larger|greater|bigger|highest|largest|lower|smaller|fewer|less|lowest|smallest|exceed|more than|h[oö]her|h[oö]chst|gr[oö](?:ß|ss)|niedrig|gering|klein|sup[eé]rieur|inf[eé]rieur|mayor|menor|maior|最[高低大小]|[高低]于|[高低]/iu;
