// What the search benchmark searches: documents of made-up text by a seeded generator, in which known facts are planted.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A document: passages in order, each as long as those of the demo’s corpus at the median. */
export interface BenchDocument {
  readonly title: string;
  readonly uri: string;
  readonly passages: readonly string[];
}

/** A question in natural language, and the sentence that answers it: it stands in one passage alone. */
export interface PlantedQuestion {
  readonly question: string;
  readonly answer: string;
}

/** Passages of a document; a benchmark of N passages has N / 8 documents. */
export const passagesOfDocument = 8;

/** Documents that the planted questions are about: they are the first ones at every size. */
const plantedDocuments = 125;
const plantedQuestions = 50;

/** Questions that are asked before the clock counts, about other documents among them. */
const warmUpQuestions = 50;

/** A passage is cut between these, in words: the demo’s corpus has 117 at the median. */
const [fewestWords, mostWords] = [60, 165];
const wordsOfTopic = 400;
const topics = 60;

const adjectives =
  'amber ancient arctic bitter brave bright bronze calm cedar clever coastal copper crimson crystal distant eager early eastern emerald feral fleet forest frosty gentle gilded golden grand granite hidden humble idle ivory jade keen lively lunar marble mellow misty noble northern ochre pale polar quiet rapid rustic sable scarlet silent silver solar southern steady stormy sturdy swift tidal velvet vivid western wild winter'.split(
    ' ',
  );
const nouns =
  'anchor aspen badger beacon birch bison bridge canyon castle comet condor coral crane cricket delta dolphin eagle ember falcon fern finch fjord fox garnet glacier harbor hawk heron ibis jaguar juniper kestrel lagoon lantern lark lotus lynx magpie maple marten meadow meteor osprey otter owl panther pebble pelican pine puffin quartz raven reef robin sparrow spruce stag summit thistle tiger trout walrus willow'.split(
    ' ',
  );
const kinds = 'archive gateway warehouse laboratory turbine scheduler registry workshop depot observatory'.split(' ');
const people =
  'Alvarez Bergman Castillo Dubois Eriksen Fischer Galloway Hansen Ivanova Jensen Kowalski Lindqvist Moreau Novak Okafor Petrov Quinn Rossi Schneider Tanaka'.split(
    ' ',
  );
const cities =
  'Aachen Bergen Cork Dresden Espoo Florence Ghent Haarlem Innsbruck Krakow Leeds Malmo Nantes Oslo Porto'.split(' ');
const days = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');

/** Numbers that look random and are the same in every run. */
function numbers(seed: number): () => number {
  let state = (Math.imul(seed + 1, 0x9e3779b9) ^ 0x5bd1e995) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pick<Item>(items: readonly Item[], next: () => number): Item {
  const item = items[Math.floor(next() * items.length)];
  if (item === undefined) throw new RangeError('nothing to pick from');
  return item;
}

interface FactKind {
  readonly sentence: (name: string, next: () => number) => string;
  /** Asks in other words than the sentence says it. */
  readonly question: (name: string) => string;
}

const hour = (next: () => number) =>
  `${String(Math.floor(next() * 24)).padStart(2, '0')}:${pick(['05', '20', '45'], next)}`;

const facts: readonly FactKind[] = [
  {
    sentence: (name, next) => `Backups of the ${name} start at ${hour(next)} every ${pick(days, next)}.`,
    question: (name) => `At what hour does the backup of the ${name} begin?`,
  },
  {
    sentence: (name, next) => `Engineer ${pick(people, next)} is responsible for the ${name}.`,
    question: (name) => `Who is the responsible engineer of the ${name}?`,
  },
  {
    sentence: (name, next) => `In ${1990 + Math.floor(next() * 35)} the ${name} was moved to ${pick(cities, next)}.`,
    question: (name) => `Where did they move the ${name}?`,
  },
  {
    sentence: (name, next) => `The ${name} listens on port ${2000 + Math.floor(next() * 40_000)}.`,
    question: (name) => `Which port do I have to use for the ${name}?`,
  },
  {
    sentence: (name, next) =>
      `A failure of the ${name} is reported to ${pick(people, next)} within ${2 + Math.floor(next() * 50)} minutes.`,
    question: (name) => `Whom do I call when the ${name} has a failure?`,
  },
  {
    sentence: (name, next) => `The contract for the ${name} ends after ${2 + Math.floor(next() * 30)} years.`,
    question: (name) => `How long does the contract of the ${name} run?`,
  },
  {
    sentence: (name, next) => `The ${name} costs ${100 + Math.floor(next() * 9000)} euros a month.`,
    question: (name) => `What is the monthly cost of the ${name}?`,
  },
  {
    sentence: (name, next) => `Records of the ${name} are deleted after ${10 + Math.floor(next() * 900)} days.`,
    question: (name) => `When do they delete the records of the ${name}?`,
  },
];

/** A corpus without end: a benchmark takes as many documents as it wants, from the first on. */
export interface SearchCorpus {
  readonly document: (index: number) => BenchDocument;
  readonly questions: readonly PlantedQuestion[];
  /** Others, for what is compiled and read first: none of them is among `questions`. */
  readonly warmUp: readonly PlantedQuestion[];
}

/** The generator of one corpus: the same documents and questions in every run, the first ones alike at every size. */
export function searchCorpus(tableFolder: string): SearchCorpus {
  const words = vocabulary(tableFolder);
  const ofTopic = Array.from({ length: topics }, (_, topic) => topicWords(words, numbers(-1 - topic)));
  const names = entityNames();
  const document = (index: number): BenchDocument => documentOf(index, { words, ofTopic, names });
  const planted = (index: number, kind: number): PlantedQuestion => {
    const question = facts[kind]?.question(nameOf(index, names)) ?? '';
    return { question, answer: factOf(index, kind, names) };
  };
  const placeOf = (place: number) => Math.floor((place * plantedDocuments) / plantedQuestions);
  return {
    document,
    questions: Array.from({ length: plantedQuestions }, (_, place) => planted(placeOf(place), place % facts.length)),
    // No two places are less than two documents apart: the one after each is free.
    warmUp: Array.from({ length: warmUpQuestions }, (_, place) => planted(placeOf(place) + 1, place % facts.length)),
  };
}

/** Whole words of the embedding table, which stand in the order of how often English uses them. */
function vocabulary(tableFolder: string): readonly string[] {
  const tokenizer: { readonly model: { readonly vocab: Readonly<Record<string, number>> } } = JSON.parse(
    readFileSync(join(tableFolder, 'tokenizer.json'), 'utf8'),
  );
  return Object.entries(tokenizer.model.vocab)
    .toSorted(([, a], [, b]) => a - b)
    .map(([word]) => word)
    .filter((word) => /^[a-z]{2,}$/.test(word));
}

/** The common words are everybody's; a topic has some of the rare ones. */
function topicWords(words: readonly string[], next: () => number): readonly string[] {
  return Array.from({ length: wordsOfTopic }, () => words[200 + Math.floor(next() * (words.length - 200))] ?? '');
}

/** Two words and a kind, each combination once, in an order without pattern. */
function entityNames(): readonly string[] {
  const all = adjectives.flatMap((adjective) =>
    nouns.flatMap((noun) => kinds.map((kind) => `${titled(adjective)} ${titled(noun)} ${kind}`)),
  );
  const next = numbers(-1000);
  for (let last = all.length - 1; last > 0; last -= 1) {
    const other = Math.floor(next() * (last + 1));
    [all[last], all[other]] = [all[other] ?? '', all[last] ?? ''];
  }
  return all;
}

const titled = (word: string) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

function nameOf(index: number, names: readonly string[]): string {
  const name = names[index];
  if (name === undefined) throw new RangeError(`the generator knows ${names.length} documents`);
  return name;
}

function factOf(index: number, kind: number, names: readonly string[]): string {
  const next = numbers(index * facts.length + kind);
  return facts[kind]?.sentence(nameOf(index, names), next) ?? '';
}

function documentOf(
  index: number,
  from: {
    readonly words: readonly string[];
    readonly ofTopic: readonly (readonly string[])[];
    readonly names: readonly string[];
  },
): BenchDocument {
  const next = numbers(1_000_000 + index);
  const own = pick(from.ofTopic, next);
  const name = nameOf(index, from.names);
  const passages = Array.from({ length: passagesOfDocument }, (_, place) => {
    const sentences: string[] = [];
    const enough = fewestWords + next() * (mostWords - fewestWords);
    let length = 0;
    while (length < enough) {
      const count = 8 + Math.floor(next() * 14);
      sentences.push(sentence(count, { words: from.words, own, next }));
      length += count;
    }
    // Each passage says one thing about what the document is about.
    sentences.splice(Math.floor(next() * sentences.length), 0, factOf(index, place % facts.length, from.names));
    return sentences.join(' ');
  });
  return { title: `${name}: ${pick(['handbook', 'notes', 'log', 'review'], next)}`, uri: `bench/${index}`, passages };
}

/** Words as often as their rank says (Zipf), one in four of the document's topic. */
function sentence(
  count: number,
  from: { readonly words: readonly string[]; readonly own: readonly string[]; readonly next: () => number },
): string {
  const { words, own, next } = from;
  const chosen = Array.from({ length: count }, () => {
    if (next() < 0.25) return own[Math.floor(own.length ** next()) - 1] ?? own[0] ?? '';
    return words[Math.floor(words.length ** next()) - 1] ?? words[0] ?? '';
  });
  return `${titled(chosen.join(' '))}.`;
}
