// Words that turn what a sentence says, in the languages of the check, as data: denial, past, present, contrast.

/** A pattern that finds any of these words or phrases as whole words, and any of the CJK ones anywhere. */
function cues(latin: string, cjk: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])(?:${latin})(?![\\p{L}\\p{M}\\p{N}])|${cjk}`, 'giu');
}

/** What looks like a denial and is none. */
export const falseDenials: RegExp = cues(
  'not only|not just|no doubt|nicht nur|nicht allein|non seulement|pas seulement|no s[oó]lo|no solamente|n[aã]o s[oó]|n[aã]o apenas|no(?=[,.!])',
  'だけで(?:は)?なく|少ない|危ない|かもしれない|なければならない|に違いない|少なくない|不仅|不但|不过|不断|不同|不久|不得不|非常|无论|无疑',
);

const denialWords =
  "not|cannot|never|neither|nor|none|nobody|\\p{L}+n't|" +
  'nicht|nie|niemals|kein|keine|keinen|keinem|keiner|keines|weder|niemand|' +
  "ne|n'\\p{L}+|pas|jamais|aucun|aucune|personne|" +
  'nunca|jam[aá]s|tampoco|ning[uú]n|ninguna|ninguno|nadie|ni|' +
  'n[aã]o|nenhum|nenhuma|ningu[eé]m|nem';
const cjkDenials =
  'ではない|じゃない|ではなかった|ではなく|しない|しなかった|していない|していなかった|されていない|ません|できない|ない(?=[。、\\s]|$)|なかった|没有|没|不是|并非|并未|未|不|无';

/** A denial. */
export const denials: RegExp = cues(`${denialWords}|no`, cjkDenials);

/** A denial in Portuguese, where `no` means `in the`. */
export const portugueseDenials: RegExp = cues(denialWords, cjkDenials);

/** A sentence that only says that something is not stated. */
export const silences: RegExp = cues(
  "(?:(?:do|does|did|is|are|was|were)(?: not|n't) (?:mention|mentioned|say|state|stated|specify|specified|include|included|list|listed|show|contain|give|given|known|found))|no (?:information|mention|record|evidence|data)|" +
    'nicht (?:erw[aä]hnt|genannt|angegeben|bekannt|enthalten|belegt)|keine (?:angabe|angaben|information|informationen)|' +
    '(?:pas|aucune) (?:mentionn[eé]e?|pr[eé]cis[eé]e?|indiqu[eé]e?|mention|information)|ne (?:mentionne|pr[eé]cise|indique) pas|' +
    'no (?:menciona|indica|especifica|consta|figura|dice)|n[aã]o (?:menciona|indica|especifica|consta|diz)',
  '記載(?:は|が)?(?:ない|なし|ありません)|言及(?:は|が)?(?:ない|ありません)|未提及|没有提到|没有说明|未说明',
);

/** Wording that says that something held once. */
export const pastCues: RegExp = cues(
  'earlier(?! than)|previous|previously|formerly|former|originally|original|initially|used to|at the time|at that time|back then|in the past|no longer(?! than)|not (?:\\S+ ){0,4}any ?more|outdated|superseded|obsolete|has since been|have since been|since (?:then )?(?:been )?corrected|corrected (?:to|since|from)|until then|was then|had been|had said|old|older(?! than)|historical|historically|before (?:the|that|its|this) correction|' +
    'fr[uü]her|fr[uü]here|fr[uü]heren|fr[uü]herer|damals|damalige|damaligen|zuvor|urspr[uü]nglich|urspr[uü]ngliche|ehemals|einst|nicht mehr|veraltet|[uü]berholt|seitdem korrigiert|inzwischen korrigiert|vorher|bisher|alte|alten|' +
    "auparavant|autrefois|jadis|[aà] l'[eé]poque|initialement|[aà] l'origine|ancien|ancienne|pr[eé]c[eé]demment|obsol[eè]te|n'est plus|ne \\S+ plus|corrig[eé]e? depuis|alors|" +
    'antes|anteriormente|anterior|antigu[oa]|antiguamente|originalmente|inicialmente|en su momento|en aquel entonces|ya no|obsolet[oa]|previamente|' +
    'antig[oa]|antigamente|na [eé]poca|j[aá] n[aã]o|n[aã]o mais|ultrapassad[oa]|desatualizad[oa]',
  '以前|かつて|当時|旧|もともと|もはや|従来|訂正前|曾经|曾|之前|原来|原先|当时|旧|不再|此前|更正前|最初',
);

/** Wording that says that something holds now. */
export const presentCues: RegExp = cues(
  'now|currently|current|today|still|at present|nowadays|' +
    'jetzt|aktuell|aktuelle|aktueller|derzeit|heute|immer noch|weiterhin|noch immer|mittlerweile|' +
    "maintenant|actuellement|actuel|actuelle|aujourd'hui|encore|toujours|" +
    'ahora|actualmente|actual|hoy|todav[ií]a|a[uú]n|sigue|' +
    'agora|atualmente|atual|hoje|ainda|continua',
  '現在|今も|いまも|依然|今日|目前|现在|如今|仍|仍然',
);

/** Where one statement ends and one that differs from it begins. */
export const contrasts: RegExp = new RegExp(
  ';|—|\\uFFFC;|(?<![\\p{L}\\p{M}\\p{N}])(?:but|whereas|instead|rather than|instead of|although|though|sondern|aber|w[aä]hrend|statt|anstatt|anstelle|jedoch|doch|mais|tandis que|au lieu de|plut[oô]t que|sino|pero|mientras que|en lugar de|en vez de|mas|por[eé]m|enquanto|em vez de)(?![\\p{L}\\p{M}\\p{N}])|(?<=,) (?:and|while|yet|und|et|y|e) (?=\\S)| (?:and|und|et|y|e) (?=(?:not|nicht|pas|non|no|n[aã]o) )|(?<=ではなく)、?|(?<=だが)、|(?<=が)、|而是|而不是|但是|但(?!是)|，而',
  'giu',
);

/** Words after which the rest is denied: what something is not. */
export const replacedCues: RegExp = cues(
  'rather than|instead of|statt|anstatt|anstelle|au lieu de|plut[oô]t que|en lugar de|en vez de|em vez de',
  '而不是',
);
