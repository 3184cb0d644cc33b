// The rules of the plan as data (design Q1): which words speak for which intent and collection.

import type { Intent } from '../model/plan.ts';

/** One sign of an intent: when the pattern is found in the question, its weight is added. */
export interface IntentRule {
  readonly intent: Intent;
  readonly language: 'en' | 'de' | 'fr' | 'es' | 'pt' | 'ja';
  /** Read on the question in lower case, without accents, with plain apostrophes. */
  readonly pattern: RegExp;
  readonly weight: number;
}

const rule = (language: IntentRule['language'], intent: Intent, weight: number, pattern: RegExp): IntentRule => ({
  intent,
  language,
  pattern,
  weight,
});

/** Every sign of an intent. The intent with the greatest sum wins; equal sums go by the order of the intents. */
export const intentRules: readonly IntentRule[] = [
  rule('en', 'comparison', 4, /\bcompar(?:e|es|ed|ing|isons?)\b/),
  rule('en', 'comparison', 4, /\b(?:versus|vs)\b/),
  rule(
    'en',
    'comparison',
    4,
    /\bdifferences? between\b|\bdiffers? from\b|\bdifferent from\b|\bhow do .+ and .+ differ\b/,
  ),
  rule('en', 'comparison', 3, /\bdiffer(?:s|ed|ently)?\b|\bpros and cons\b|\b(?:dis)?advantages? of .+ over\b/),
  rule('en', 'comparison', 3, /\bsets? .+ apart\b|\brank (?:the|these|those|all|them)\b|\bwhich of .+ (?:and|or)\b/),
  rule(
    'en',
    'comparison',
    3,
    /\b(?:beats?|outperforms?|similarit(?:y|ies)|weigh .+ against|which .+\b(?:more|less|\w+er), .+ or)\b/,
  ),
  rule('en', 'comparison', 3, /\b(?:more|less|fewer) (?:\w+ )?than (?!\d)|\bor .+ the (?:more|less|better) \w+/),
  rule('en', 'comparison', 3, /\bshould (?:we|i|one) (?:use|take|choose|pick|buy|go with) .+ or\b/),
  rule(
    'en',
    'comparison',
    3,
    /\bas opposed to\b|\bcontrast(?:s|ed|ing)?\b|\btrade-?offs? between\b|\bcompared? (?:to|with)\b/,
  ),
  rule(
    'en',
    'comparison',
    3,
    /\b(?:which|who) (?:one )?(?:is|was|are|does|did|has|scores?|performs?|keeps?)\b.+\b(?:better|worse|faster|slower|cheaper|higher|lower|more|less|longer|shorter)\b/,
  ),
  rule('en', 'comparison', 3, /\b(?:(?!(?:other|rather|later|earlier|older|newer|further) )\w+er|worse) than\b/),

  rule(
    'en',
    'how_to',
    4,
    /\bhow (?:do|can|could|should|would|must|may) (?:i|we|you|one|someone|a user|an? \w+)\b|\bhow (?:can|could|should|must) \w+/,
  ),
  rule('en', 'how_to', 4, /\bhow to\b|\bhow does one\b|\b(?:need|want|try|trying|have) to .+[.,;:!?] how\b/),
  rule('en', 'how_to', 4, /\b(?:right|best|correct|proper|recommended|safest|easiest|fastest) way (?:to|of|for)\b/),
  rule(
    'en',
    'how_to',
    4,
    /\bwhat do (?:i|we|you) (?:need|have) to\b|\bwhat(?:'s| is) (?:needed|required|necessary) to\b|\b(?:guide|teach|help) (?:me|us)\b/,
  ),
  rule('en', 'how_to', 3, /\b(?:where|which \w+) (?:do|can|should|must) (?:i|we|you)\b/),
  rule('en', 'how_to', 4, /\bwalk (?:me|us) through\b|\bshow (?:me|us) how\b|\bstep by step\b/),
  rule('en', 'how_to', 3, /\bsteps? (?:to|for|do|should)\b|\bwhat (?:are )?the steps\b/),
  rule(
    'en',
    'how_to',
    3,
    /\bwhat (?:should|must|can|do|could) (?:i|we|one) do\b|\bwhat (?:should|must) (?:i|we) (?:run|call|set|change|check)\b/,
  ),
  rule(
    'en',
    'how_to',
    2,
    /\b(?:procedure|runbook|playbook|instructions|checklist|walkthrough) (?:for|to|of|when|on)\b/,
  ),

  rule(
    'en',
    'fact_check',
    4,
    /\b(?:is|was) it (?:really |still |actually )?(?:true|correct|right|accurate)\b|\btrue that\b|\bfact.?check\b/,
  ),
  rule('en', 'fact_check', 3, /\b(?:verify|confirm|double.?check|validate)\b/),
  rule('en', 'fact_check', 2, /\b(?:still|any ?more|any longer|no longer)\b/),
  rule(
    'en',
    'fact_check',
    2,
    /\b(?:told|said|claimed|stated|reported|wrote|quoted|cited|mentioned|heard|read) (?:me |us |them )?(?:that |it |the |this |there |its? )/,
  ),
  rule(
    'en',
    'fact_check',
    2,
    /(?:,|\bis that) (?:right|correct|true)\s*\?|\b(?:isn't|aren't|wasn't|doesn't|didn't|hasn't) (?:it|that|they|he|she)\s*\?/,
  ),
  rule(
    'en',
    'fact_check',
    1.5,
    /(?:^|[.!?;,:] *)(?:so |and |but )?(?:is|are|was|were|does|do|did|has|have|had|can|could|will) (?!(?:i|we|you)\b)/,
  ),
  rule('en', 'fact_check', 1.5, /\bhow (?:many|much|long|large|big|high|low|often|old|fast|far|likely)\b/),
  rule(
    'en',
    'fact_check',
    1.5,
    /\b(?:what|which) (?:exact |current |new |default |maximum |minimum )*(?:is|was|are|were|score|value|version|limit|default|number|date|rate|price|percentage|error|code|setting|model|tier|port|size|threshold)\b/,
  ),
  rule(
    'en',
    'fact_check',
    1.5,
    /\b(?:what|which) \w+ (?:is|was|are|were|does|do|did|has|had)\b|\bwhat has changed\b|\bwhat changed\b/,
  ),
  rule('en', 'fact_check', 1.5, /\bwhat's (?:the|its|their|his|her)\b|\bwhat does .+ mean\b|^name (?:the|a|all|one)\b/),
  rule(
    'en',
    'fact_check',
    1.5,
    /\b(?:right|correct|true)\?$|^(?:isn't|aren't|wasn't|weren't|doesn't|don't|didn't|hasn't|haven't)\b/,
  ),
  rule('en', 'fact_check', 1, /\b(?:when|where|who|whose|which)\b/),
  rule('en', 'fact_check', 1, /(?<![\p{L}\p{N}_-])\d+(?:[.,]\d+)+%?(?![\p{L}\p{N}_-])|\b\d+ ?%/u),

  rule('en', 'recall', 4, /\b(?:what|when|where|why|which|who|how) (?:\w+ ){0,2}did (?:we|i|you)\b/),
  rule(
    'en',
    'recall',
    4,
    /\b(?:our|my|your) (?:last|previous|earlier|past|first) (?:conversation|chat|discussion|meeting|session|talk|exchange|question|answer)s?\b/,
  ),
  rule(
    'en',
    'recall',
    4,
    /\bwe(?:'d| had|'ve| have)? (?:\w+ )?(?:discuss(?:ed)?|decided?|talk(?:ed)?|agreed?|spoken?|spoke|settled?|concluded?|chose|chosen|looked at)\b/,
  ),
  rule(
    'en',
    'recall',
    3,
    /\b(?:do|can|did|could) you (?:still )?(?:remember|recall)\b|\bremind me\b|\bremember (?:when|what|that|the)\b/,
  ),
  rule(
    'en',
    'recall',
    3,
    /\b(?:have|had) (?:we|i|you) (?:ever |already |previously )?\w+(?:ed|en|ne|id|ld)\b|\bdid (?:we|i|you)\b/,
  ),
  rule(
    'en',
    'recall',
    2,
    /\b(?:last time|the other day|back then|a while ago|previously|earlier (?:today|this)|so far)\b/,
  ),
  rule('en', 'recall', 2, /\b(?:you|i) (?:told|said|mentioned|asked|suggested|recommended|promised|wanted)\b/),
  rule(
    'en',
    'recall',
    3,
    /\bour (?:\w+ )?(?:conclusion|decision|agreement|outcome|meeting|conversation|discussion|chat|talk)s?\b/,
  ),
  rule('en', 'recall', 4, /\b(?:were|was) (?:we|i|you) \w+ing\b|\bwhere (?:we|i) (?:stopped|left|were)\b/),
  rule('en', 'recall', 1, /\b(?:we|our|us|my|mine)\b/),

  rule(
    'de',
    'comparison',
    4,
    /\bvergl(?:eich|ich)\w*|\bim gegensatz zu\b|\bunterschied\w* zwischen\b|\bunterscheide[nt]\b|\bbesser als\b/,
  ),
  rule(
    'de',
    'how_to',
    4,
    /\bwie (?:kann|muss|soll|sollte|mache|richte|konnte) (?:ich|man|wir)\b|\bschritte\b|\banleitung\b/,
  ),
  rule(
    'de',
    'fact_check',
    3,
    /\bstimmt (?:es|das)\b|\bnoch immer\b|\bimmer noch\b|\bstimmt\?|\bgilt\b|\bwie (?:viele?|hoch|lange|gross|oft)\b/,
  ),
  rule('de', 'fact_check', 1.5, /^(?:ist|sind|war|waren|wird|wurde|wurden|hat|hatte|kann|gibt|stimmt)\b/),
  rule(
    'de',
    'recall',
    4,
    /\b(?:haben|hatten) wir\b|\bletztes mal\b|\berinner\w+\b|\bbesprochen\b|\bwas (?:habe ich|hast du)\b/,
  ),
  rule(
    'fr',
    'comparison',
    4,
    /\bcompar(?:er|aison|e|ez|ons)\b|\bdifferences? entre\b|\bpar rapport a\b|\bmieux que\b|\bmeilleure?s? que\b/,
  ),
  rule('fr', 'how_to', 4, /\bcomment (?:puis-je|faire|peut-on|dois-je|pouvons-nous|configurer|installer)\b|\betapes\b/),
  rule(
    'fr',
    'fact_check',
    3,
    /\best-ce (?:vrai|exact)\b|\btoujours\b|\best-il vrai\b|\bcombien\b|\bquel(?:le)?s? (?:est|sont|etait)\b/,
  ),
  rule(
    'fr',
    'recall',
    4,
    /\bavons-nous\b|\bla derniere fois\b|\brappel(?:le|ez)\b|\bsouvien\w+\b|\bnous avions\b|\bon avait\b/,
  ),
  rule('es', 'comparison', 4, /\bcompar(?:ar|acion|a|e|ado)\b|\bdiferencias? entre\b|\bfrente a\b|\bmejor que\b/),
  rule('es', 'how_to', 4, /\bcomo (?:puedo|podemos|se|hago|debo|configuro)\b|\bpasos\b/),
  rule(
    'es',
    'fact_check',
    3,
    /\bes (?:cierto|verdad|correcto)\b|\btodavia\b|\bsigue siendo\b|\bcuant[oa]s?\b|\bcual (?:es|era)\b/,
  ),
  rule('es', 'recall', 4, /\b(?:decidimos|hablamos|acordamos|dijimos|vimos)\b|\bla ultima vez\b|\brecuerda[ns]?\b/),
  rule('pt', 'comparison', 4, /\bcompar(?:ar|acao|e|ado)\b|\bdiferencas? entre\b|\bmelhor (?:do )?que\b/),
  rule('pt', 'how_to', 4, /\bcomo (?:posso|podemos|faco|devo|configurar)\b|\bpassos\b/),
  rule('pt', 'fact_check', 3, /\be verdade\b|\bainda\b|\bcontinua sendo\b|\bquant[oa]s?\b|\bqual (?:e|era)\b/),
  rule('pt', 'recall', 4, /\b(?:decidimos|conversamos|combinamos|falamos|dissemos)\b|\bda ultima vez\b|\blembra\w*\b/),
  rule('ja', 'comparison', 4, /比較|比べ|違い|どちら|より(?:良|優|速|高|低)/),
  rule('ja', 'how_to', 4, /方法|手順|やり方|どうやって|どうすれば|するには/),
  rule('ja', 'fact_check', 3, /本当|正しい|まだ|今でも|いくつ|いくら|何(?:件|日|個|%|パーセント)|でしたか|ですか/),
  rule('ja', 'recall', 4, /前回|以前|先週|話し(?:た|まし)|決め(?:た|まし)|覚えて|言いましたか|言っていた/),
];

/** Two named things and one of these words between or before them make a comparison of any question. */
export const pairingWords = /\b(?:or|than|against|between|both|better|worse|oder|als|ou|o|que)\b|と/;

/** What must stand beside a collection's name of one word, so that an ordinary word does not narrow a search. */
export const collectionWords: ReadonlySet<string> = new Set(
  'collection collections corpus library docs documents documentation papers articles notes handbook folder'.split(' '),
);
