// Words by which a sentence negates, binds, changes, remembers or hesitates (design C1), as data for seven languages.

import { wordsOf } from '../select/words.ts';

/** What words tell of the sentence that holds them. */
export const cueKinds = ['negation', 'limit', 'commitment', 'change', 'past', 'hedge', 'opening'] as const;

/** One of {@link cueKinds}. */
export type Cue = (typeof cueKinds)[number];

/**
 * Phrases parted by commas: English, German, French, Spanish, Portuguese, Japanese, Chinese, each from a new line. One
 * that begins with ^ counts only where a sentence begins with it: `new` is mostly a part of a name.
 */
const phrases: Readonly<Record<Cue, string>> = {
  negation: `not, no, never, none, nobody, nothing, neither, nor, without, cannot, can't, don't, doesn't, didn't, won't,
      isn't, aren't, wasn't, mustn't, shouldn't, except, forbidden, prohibited, refuse, avoid,
    nicht, kein, keine, keinen, keinem, keiner, keinerlei, nie, niemals, niemand, nichts, ohne, weder, verboten, außer,
    ne, n', pas, jamais, aucun, aucune, rien, personne, sans, ni, interdit, interdite, sauf,
    nunca, jamás, ningún, ninguna, ninguno, nadie, nada, sin, tampoco, prohibido, prohibida, excepto, salvo,
    não, nenhum, nenhuma, ninguém, sem, nem, proibido, proibida, exceto,
    ない, ません, なく, ずに, 禁止, 不可, 以外, 決して,
    不, 没, 沒, 无, 無, 非, 别, 勿, 从不, 禁止, 除了`,
  limit: `must, always, only, at most, at least, no more than, not more than, no less than, up to, maximum, minimum, limit,
      ceiling, required, mandatory, has to, have to, need to, needs to, allergic, deadline, due, by the end of, exceed,
    muss, müssen, darf, dürfen, immer, nur, höchstens, mindestens, maximal, minimal, grenze, pflicht, frist, spätestens,
    doit, doivent, faut, toujours, seulement, uniquement, au plus, au moins, maximum, minimum, obligatoire, limite,
    debe, deben, hay que, siempre, solo, sólo, solamente, como máximo, al menos, máximo, mínimo, obligatorio, límite,
    deve, devem, sempre, só, somente, apenas, no máximo, pelo menos, obrigatório,
    必ず, 必須, のみ, だけ, 以下, 以上, 以内, まで, 上限, 下限, 期限, べき, ください, こと,
    必须, 必須, 只, 仅, 总是, 最多, 最少, 至少, 不得, 上限, 下限, 截止`,
  commitment: `agreed, agree, decided, decide, decision, budget, set, keep, use, prefer, prefers, approved, approves, signed
      off, deadline, plan, planned, scheduled, assigned, owner, belongs to, filed, named, called, is called, stored,
      remember, important, note, policy, rule, please, contract, invoice, account, version, address, id,
    vereinbart, beschlossen, entschieden, budget, termin, beträgt, bitte, wichtig, merke, regel, vertrag, rechnung, konto,
      zuständig, genehmigt, freigegeben, heißt,
    convenu, décidé, budget, important, règle, contrat, facture, compte, approuvé, prévu, accorde,
    acordamos, acordado, decidido, decidimos, dejamos, presupuesto, importante, regla, contrato, factura, cuenta, aprobado,
    combinado, orçamento, regra, fatura, conta, aprovado,
    決まり, 決定, 予定, 予算, 担当, 重要, 契約, 規則, お願い,
    决定, 約定, 约定, 预算, 负责, 重要, 合同, 规定, 计划`,
  change: `no longer, now, instead, changed, change, changes, moved, updated, update, raised, lowered, reduced, increased,
      replaced, replaces, replacing, postponed, correction, corrected, actually, from now on, as of today, from today,
      any more, anymore, after all, switched, ^new, scratch that, make that, i meant, sorry, wrong,
    jetzt, nicht mehr, statt, stattdessen, geändert, verschoben, ^neu, ^neuer, ^neue, ^neues, ab heute, ab sofort, doch,
      korrektur, korrigiere, falsch, ersetzt, erhöht, gesenkt, nunmehr,
    désormais, maintenant, ne plus, plus de, au lieu, remplacé, remplacée, changé, déplacé, reporté, passe à, finalement,
      ^nouveau, ^nouvelle, trompé, pardon, corrigé,
    ahora, ya no, en vez de, en lugar de, cambiamos, cambiado, cambia, movido, aplazado, ^nuevo, ^nueva, al final, perdón,
      equivoqué, desde hoy, subimos, bajamos, corrijo,
    agora, já não, não mais, em vez de, mudou, mudamos, alterado, adiado, ^novo, ^nova, desculpe, corrijo,
    変更, 訂正, 延期, 新しい, 今後, 代わり, になりました, 改めて, 現在は, もう,
    现在, 改为, 改成, 改到, 变更, 更新, 更正, 推迟, 不再, 从今, 新的`,
  past: `used to, originally, previously, formerly, back then, before, last year, at first, in the first, earlier, old, was,
      were, had, started out, once, still,
    früher, ursprünglich, damals, vorher, zuvor, anfangs, alt, alten, alte, war, wäre, waren,
    avant, auparavant, autrefois, ancien, ancienne, était, avait, coûtait, à l'origine,
    antes, anteriormente, originalmente, era, eran, había, anterior, año pasado, viejo, vieja,
    antigamente, anteriormente, tinha, velho, velha, ano passado,
    以前, 当初, 前は, かつて, 元は, でした,
    以前, 之前, 原来, 原本, 当初, 曾经, 过去`,
  hedge: `maybe, perhaps, could, might, would, should we, if, suppose, what if, probably, possibly, wonder, guess, who knows,
    vielleicht, könnte, könnten, würde, würden, wenn, falls, eventuell, womöglich, vermutlich,
    peut-être, pourrait, pourrions, serait, éventuellement, sans doute,
    quizá, quizás, tal vez, podría, podríamos, sería, a lo mejor,
    talvez, poderia, poderíamos, seria,
    かもしれない, かも, もし, たぶん, でしょうか,
    也许, 可能, 如果, 或许, 大概`,
  // What corrects what was just said.
  opening: `^no, ^sorry, ^wait, ^actually, ^correction, ^scratch, ^oops, ^hm, ^on second thought, ^i meant, ^i take that back,
    ^rather,
    ^nein, ^moment, ^falsch, ^korrektur, ^ich korrigiere, ^entschuldigung, ^sorry, ^doch,
    ^non, ^pardon, ^je me suis trompé, ^correction, ^erreur, ^finalement,
    ^no, ^perdón, ^perdon, ^me equivoqué, ^corrijo, ^error, ^mejor,
    ^não, ^desculpe, ^perdão, ^corrijo, ^me enganei, ^aliás,
    ^訂正, ^すみません, ^いや, ^間違え, ^失礼,
    ^不对, ^更正, ^抱歉, ^对不起, ^错了`,
};

/** Words that join others, of four letters and more; shorter ones are known by their length. */
const smallWords =
  `about after also been before both from have here into more most over some than that them then there these
  they this very were what when where which will with your
  aber alle auch beim bleibt dass dein dich diese dieser durch eine einem einen einer eines gilt haben hier ihre kann mein
  nach oder sein sich sind über unter werden wird wurde wurden
  alors aussi avec cette chez comme dans elle elles entre faire leur leurs mais nous pour quand sera sont sous vous
  aquí como cuando desde donde entre esta este esto hasta para pero porque queda sobre también tiene todo tras
  aqui como está este isso mais para pela pelo quando também tudo`
    .split(/\s+/)
    .filter((word) => word !== '');

interface Phrase {
  readonly rest: readonly string[];
  readonly cue: Cue;
  readonly atStart: boolean;
}

/** Phrases by their first word, each with the words that follow it. */
const byFirstWord = cuesByFirstWord();

function cuesByFirstWord(): ReadonlyMap<string, readonly Phrase[]> {
  const found = new Map<string, Phrase[]>();
  for (const cue of cueKinds) {
    for (const phrase of phrases[cue].split(',')) {
      const [first, ...rest] = wordsOf(phrase);
      const atStart = phrase.trim().startsWith('^');
      if (first !== undefined) found.set(first, [...(found.get(first) ?? []), { rest, cue, atStart }]);
    }
  }
  return found;
}

/** What the words of a sentence (as `wordsOf` gives them) tell of it. */
export function cuesOf(words: readonly string[]): ReadonlySet<Cue> {
  const cues = new Set<Cue>();
  for (const [index, word] of words.entries()) {
    for (const { rest, cue, atStart } of byFirstWord.get(word) ?? []) {
      if (atStart && index > 0) continue;
      if (rest.every((next, offset) => words[index + 1 + offset] === next)) cues.add(cue);
    }
  }
  return cues;
}

/** Words that seldom are what a sentence is about: they join others, or say how something is meant. */
export const lightWords: ReadonlySet<string> = new Set([
  ...smallWords,
  ...[...byFirstWord].flatMap(([word, all]) => (all.some(({ rest }) => rest.length === 0) ? [word] : [])),
]);

/** Cues of two characters in scripts without spaces, which are a word there. */
export const lightPhrases: readonly string[] = cueKinds
  .flatMap((cue) => phrases[cue].split(','))
  .map((phrase) => phrase.trim().replace(/^\^/, ''))
  .filter((phrase) => /^\p{Script=Han}{2}$/u.test(phrase));
