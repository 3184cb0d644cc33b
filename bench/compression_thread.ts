// Seeded conversations for bench/compression.ts: 200 turns of several topics and languages, with planted things that
// are asked for afterwards. The generator knows nothing of how anything is summarised.

import { assistantChatter, userChatter } from './compression_chatter.ts';
import { phrases, rules, type Phrases, type Rule } from './compression_phrases.ts';

/** Something that a user may ask for later. */
export interface Planted {
  readonly kind: string;
  readonly question: string;
  /** All of them stand in the one sentence that says how it is now. */
  readonly current: readonly string[];
  /** What was true before; each with the words that a reader would take for true. */
  readonly outdated: readonly (readonly string[])[];
}

/** A conversation and what was planted in it. */
export interface GeneratedThread {
  readonly turns: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[];
  readonly planted: readonly Planted[];
}

/** A generator of pseudorandom numbers in 0..1; the same seed gives the same numbers everywhere. */
function generatorOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Dice {
  readonly chance: (probability: number) => boolean;
  readonly whole: (least: number, most: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  readonly shuffled: <Item>(items: readonly Item[]) => readonly Item[];
}

function diceOf(seed: number): Dice {
  const next = generatorOf(seed);
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[whole(0, items.length - 1)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  };
  const shuffled = <Item>(items: readonly Item[]): readonly Item[] =>
    items
      .map((item) => ({ item, key: next() }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ item }) => item);
  return { chance: (probability) => next() < probability, whole, pick, shuffled };
}

const months = {
  en: 'January February March April May June July August September October November December'.split(' '),
  de: 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' '),
} as const;

function amount(dice: Dice, language: string): string {
  const thousands = dice.whole(1, 48);
  const hundreds = String(dice.whole(0, 19) * 50).padStart(3, '0');
  switch (language) {
    case 'de':
      return dice.pick([`${thousands}.${hundreds} €`, `${thousands}.${hundreds},50 Euro`]);
    case 'fr':
      return `${thousands} ${hundreds} €`;
    default:
      return dice.pick([`${thousands},${hundreds} EUR`, `$${thousands},${hundreds}.00`, `£${thousands},${hundreds}`]);
  }
}

function date(dice: Dice, language: string): string {
  const day = dice.whole(1, 28);
  const month = dice.whole(1, 12);
  switch (language) {
    case 'ja':
      return `${month}月${day}日`;
    case 'de':
      return dice.pick([`${day}. ${months.de[month - 1]} 2027`, `${day}.${month}.2027`]);
    default:
      return dice.pick([
        `2027-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`,
        `${day} ${months.en[month - 1]} 2027`,
        `${months.en[month - 1]} ${day}`,
      ]);
  }
}

function limit(dice: Dice, subject: string): string {
  const units: Readonly<Record<string, string>> = {
    'upload size': 'MB',
    'session timeout': 'minutes',
    'retry count': 'tries',
    'batch size': 'rows',
    'cache lifetime': 'seconds',
    'queue length': 'jobs',
    'page size': 'entries',
    'log retention': 'days',
    'tamaño del lote': 'filas',
    'tiempo de espera': 'segundos',
    'número de intentos': 'veces',
    'caducidad de la sesión': 'minutos',
  };
  return `${dice.whole(2, 990)} ${units[subject]}`;
}

function identifier(dice: Dice): string {
  const letters = () => dice.pick(['KX', 'RF', 'ZT', 'QM', 'HB', 'LW']);
  return dice.pick([
    `${letters()}-${dice.whole(1000, 9999)}-${letters()[0]}`,
    `${letters().toLowerCase()}_${dice.whole(10, 99)}/v${dice.whole(1, 9)}.${dice.whole(0, 9)}`,
    `urn:${letters().toLowerCase()}:${dice.whole(100_000, 999_999)}`,
    `${letters()}${dice.whole(100, 999)}${letters().toLowerCase()}`,
  ]);
}

function valueOf(dice: Dice, { values, language }: Phrases, subject: string): string {
  switch (values) {
    case 'amount':
      return amount(dice, language);
    case 'date':
      return date(dice, language);
    case 'limit':
      return limit(dice, subject);
    case 'identifier':
      return identifier(dice);
    default:
      throw values satisfies never;
  }
}

/** What is said about one planted thing, in order; `after` is how many turns later than the one before. */
interface Story {
  readonly planted: Planted;
  readonly said: readonly {
    readonly text: string;
    readonly follows: boolean;
    readonly by: 'user' | 'assistant' | null;
  }[];
}

function storyOfValue(dice: Dice, all: Phrases, subject: string, told: { bank: 0 | 1; changes: boolean }): Story {
  const { bank, changes } = told;
  const fill = (template: string, value: string) => template.replaceAll('{s}', subject).replaceAll('{v}', value);
  const values = new Set<string>();
  const count = changes ? dice.pick([2, 2, 3]) : 1;
  while (values.size < count) values.add(valueOf(dice, all, subject));
  const [first = '', ...later] = values;
  const said: Story['said'][number][] = [
    { text: fill(dice.pick(all.statements[bank]), first), follows: false, by: dice.chance(0.85) ? 'user' : null },
  ];
  if (dice.chance(0.25)) said.push({ text: `Noted: ${subject}, ${first}.`, follows: true, by: 'assistant' });
  for (const value of later) {
    const close = said.length === 1 && dice.chance(0.25);
    const template = dice.pick(close ? all.corrections[bank] : all.updates[bank]);
    said.push({ text: fill(template, value), follows: close, by: 'user' });
  }
  if (changes && dice.chance(0.4))
    said.push({ text: fill(dice.pick(all.memories[bank]), first), follows: false, by: null });
  const current = later.at(-1) ?? first;
  const outdated = [...values].filter((value) => value !== current).map((value) => [value]);
  const question = all.question.replaceAll('{s}', subject);
  return { planted: { kind: `${all.values} ${all.language}`, question, current: [current], outdated }, said };
}

function storyOfRule(rule: Rule, changes: boolean): Story {
  const said: Story['said'][number][] = [{ text: rule.text, follows: false, by: 'user' }];
  const { change } = rule;
  if (changes && change !== undefined) said.push({ text: change.text, follows: false, by: 'user' });
  const isChanged = said.length > 1 && change !== undefined;
  return {
    planted: {
      kind: 'rule',
      question: rule.question,
      current: isChanged ? change.needles : rule.needles,
      outdated: isChanged ? [rule.needles] : [],
    },
    said,
  };
}

function storiesOf(dice: Dice, bank: 0 | 1, count: number): readonly Story[] {
  const values = dice.shuffled(phrases.flatMap((all) => all.subjects.map((subject) => ({ all, subject }))));
  const ofRules = dice.shuffled(rules[bank]).map((rule) => storyOfRule(rule, dice.chance(0.7)));
  const ofValues = values
    .slice(0, count - ofRules.length)
    .map(({ all, subject }) => storyOfValue(dice, all, subject, { bank, changes: dice.chance(0.4) }));
  return dice.shuffled([...ofRules, ...ofValues]);
}

/** A conversation of so many turns with so many planted things. `heldOut`: said with the phrases of the second bank. */
export function generateThread(
  seed: number,
  wanted: { readonly turns: number; readonly planted: number; readonly heldOut: boolean },
): GeneratedThread {
  const dice = diceOf(seed);
  const stories = storiesOf(dice, wanted.heldOut ? 1 : 0, wanted.planted);
  const parts = placed(dice, stories, wanted.turns);
  const turns = parts.map(({ first, later }, index) => {
    const role = index % 2 === 0 ? ('user' as const) : ('assistant' as const);
    const chat = (least: number, most: number) =>
      Array.from({ length: dice.whole(least, most) }, () => chatter(dice, role));
    const text = [...first, ...chat(0, 2), ...later, ...chat(role === 'user' ? 1 : 2, 3)].join(' ');
    return { role, text };
  });
  return { turns, planted: stories.map(({ planted }) => planted) };
}

/** What is planted in a turn: corrections of the turn before come first. */
interface Part {
  readonly first: string[];
  readonly later: string[];
}

/** Puts the stories into turns; one with a correction that names nothing has the turns of it for itself. */
function placed(dice: Dice, stories: readonly Story[], turns: number): readonly Part[] {
  const parts: Part[] = Array.from({ length: turns }, () => ({ first: [], later: [] }));
  const isCorrected = ({ said }: Story) => said.some(({ follows, by }, index) => index > 0 && follows && by === 'user');
  const taken = new Set<number>();
  for (const story of stories.toSorted((a, b) => Number(isCorrected(b)) - Number(isCorrected(a)))) {
    const alone = isCorrected(story);
    let at = freeStart(dice, story, { turns, isTaken: (turn) => taken.has(turn), reach: alone ? 2 : 0 });
    for (const [index, { text, follows, by }] of story.said.entries()) {
      if (index > 0) at = follows ? at + 1 : dice.whole(at + 1, Math.max(at + 1, Math.floor((at + turns) / 2)));
      at = nextOf(by, at, (turn) => taken.has(turn));
      const part = parts[Math.min(at, turns - 1)];
      (follows && by === 'user' ? part?.first : part?.later)?.push(text);
      if (alone && index < 2) for (const turn of [at - 1, at]) taken.add(turn);
    }
  }
  return parts;
}

/** The first turn of a story, where so many turns after it are free too. */
function freeStart(
  dice: Dice,
  story: Story,
  room: { readonly turns: number; readonly isTaken: (turn: number) => boolean; readonly reach: number },
): number {
  for (;;) {
    const at = start(dice, story, room.turns);
    const wanted = Array.from({ length: room.reach + 1 }, (_, index) => at + index);
    if (!wanted.some(room.isTaken)) return at;
  }
}

/** The first free turn from here on that is spoken by whom it must be. */
function nextOf(by: 'user' | 'assistant' | null, from: number, isTaken: (turn: number) => boolean): number {
  for (let at = from; ; at += 1) {
    const isTheirs = by === null || (at % 2 === 0) === (by === 'user');
    if (isTheirs && !isTaken(at)) return at;
  }
}

function start(dice: Dice, { said }: Story, turns: number): number {
  const by = said[0]?.by ?? null;
  const at = dice.whole(0, Math.floor(turns * (said.length > 1 ? 0.5 : 0.97)));
  return by !== null && (at % 2 === 0) !== (by === 'user') ? at + 1 : at;
}

/** A sentence of chatter with its alternatives chosen and its numbers filled in. */
function chatter(dice: Dice, role: 'user' | 'assistant'): string {
  let text = dice.pick(role === 'user' ? userChatter : assistantChatter);
  while (text.includes('|'))
    text = text.replace(/\{([^{}]*\|[^{}]*)\}/g, (_, all: string) => dice.pick(all.split('|')));
  const filled = text.replaceAll('#', () => String(dice.whole(2, 99)));
  return `${filled.charAt(0).toUpperCase()}${filled.slice(1)}`;
}
