// Words that tell names from other capitalised words, as data.

/** Capitalised words that name nothing. */
export const noNames: ReadonlySet<string> = new Set(
  (
    "i i'm i've i'd i'll ok okay yes no note faq tl dr ps nb eg ie re vs a an the this that these those it its he she we " +
    'you they there here if in on at by for from with and or but so as to of when where while what which who why how ' +
    'however also thus then after before since until both each all some any most more less please thanks sorry'
  ).split(' '),
);

/** What people do: a capitalised word before one of these is a name, also where a sentence begins. */
export const deedsOfPeople: ReadonlySet<string> = new Set(
  (
    'said says wrote writes asked asks approved approves decided decides prefers preferred wants wanted told agreed agrees ' +
    'signed proposed owns leads joined left lives works manages confirmed confirms rejected rejects reported requested ' +
    'sagte sagt schrieb fragte genehmigte genehmigt entschied bat leitet wohnt arbeitet bevorzugt bestätigte lehnte ' +
    'dit écrit demandé approuvé décidé préfère dirige habite travaille confirmé ' +
    'dijo escribió pidió aprobó decidió prefiere dirige vive trabaja confirmó rechazó ' +
    'disse escreveu pediu aprovou decidiu prefere lidera mora trabalha confirmou rejeitou'
  ).split(' '),
);

/** Titles before a name. */
export const titlesOfPeople: ReadonlySet<string> = new Set(
  'mr mrs ms dr prof herr frau herrn m mme mlle monsieur madame señor señora sr sra senhor senhora don doña'.split(' '),
);
