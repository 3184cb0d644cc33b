// English words that rules do not reach (design Q2): function words, which say nothing alone, and irregular forms.

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Function words of English, folded; they are neither indexed nor asked for. */
export const stopWords: ReadonlySet<string> = new Set(
  words(`
    a an the this that these those some any each every either neither such same other another own
    i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself
    we us our ours ourselves they them their theirs themselves one ones
    who whom whose which what when where why how whoever whatever whichever whether
    am is are was were be been being do does did doing done have has had having
    can could shall should will would might must ought
    and or nor but if then else so because as until while although though since unless than
    of at by for with about against between into through during before after above below to from up down in out on off
    over under again further once here there all both few more most no not only very too just also ever
    don doesn didn isn aren wasn weren hasn haven hadn won wouldn shouldn couldn cannot ain let
    im ive ill id youre youve youll hes shes theyre theyve weve thats whats dont doesnt didnt isnt cant wont
    etc eg ie via per yes ok okay please
  `),
);

/** Irregular forms, each line a base and its forms. */
const irregularLines = `
  arise arose arisen|awake awoke awoken|bear bore borne|beat beaten|become became|begin began begun|bend bent|bind bound
  bite bit bitten|bleed bled|blow blew blown|break broke broken|bring brought|build built|burn burnt|buy bought
  catch caught|choose chose chosen|come came|creep crept|deal dealt|dig dug|draw drew drawn|dream dreamt|drink drank drunk
  drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|flee fled|fly flew flown
  forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|get got gotten
  give gave given|go went gone|grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept|know knew known
  lay laid|lead led|learn learnt|leave left|lend lent|lose lost|make made|mean meant|meet met|pay paid|ride rode ridden
  ring rang rung|rise rose risen|run ran|say said|see saw seen|seek sought|sell sold|send sent|shake shook shaken
  shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid
  speak spoke spoken|spend spent|spin spun|spring sprang sprung|stand stood|steal stole stolen|stick stuck|strike struck
  swear swore sworn|sweep swept|swim swam swum|swing swung|take took taken|teach taught|tear tore torn|tell told
  think thought|throw threw thrown|understand understood|wake woke woken|wear wore worn|weave wove woven|weep wept
  win won|wind wound|withdraw withdrew withdrawn|write wrote written
  child children|foot feet|goose geese|knife knives|loaf loaves|man men|mouse mice|person people
  shelf shelves|thief thieves|tooth teeth|wife wives|wolf wolves|woman women
  analysis analyses|basis bases|crisis crises|criterion criteria|hypothesis hypotheses|index indices|matrix matrices
  phenomenon phenomena|thesis theses|vertex vertices
`;

/** For each irregular form, its base. Forms that are common words of their own with another base are left to the rules. */
export const irregularForms: ReadonlyMap<string, string> = new Map(
  irregularLines
    .split(/[|\n]/)
    .map(words)
    .flatMap(([base = '', ...forms]) => forms.map((form): [string, string] => [form, base])),
);
