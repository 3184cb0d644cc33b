// The labelled answers of test/check/answers/: windows by name, and for each answer the verdict of every sentence.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../../src/assembly/hash.ts';
import type { CheckReport } from '../../src/check/report.ts';
import type { ShownMemory, ShownWindow } from '../../src/check/shown_memory.ts';

/** An answer with what is expected of it, one line a sentence. */
export interface LabelledAnswer {
  readonly topic: string;
  readonly name: string;
  readonly window: string;
  readonly answer: string;
  readonly expect: readonly string[];
}

const folder = join(import.meta.dirname, 'answers');
const json = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));

/** The citation id that stands for a name in braces; `_cut` makes one that lacks its end. */
export function idOf(name: string): string {
  const id = `B${sha256Hex(name.replace(/_cut$/, '')).slice(0, 10)}`;
  return name.endsWith('_cut') ? id.slice(0, 9) : id;
}

const withIds = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name: string) => idOf(name));

type Written = Omit<ShownMemory, 'names' | 'claim' | 'corrections'> & Partial<ShownMemory>;

/** The windows by name. */
export const windows: ReadonlyMap<string, ShownWindow> = new Map(
  Object.entries<{ readonly subjects: readonly string[]; readonly memories: readonly Written[] }>(
    json('windows.json'),
  ).map(([name, { subjects, memories }]) => [name, { subjects, memories: memories.map(shown) }]),
);

function shown({ names = [], claim = null, corrections = [], ...memory }: Written): ShownMemory {
  return {
    ...memory,
    id: idOf(memory.id),
    names,
    claim,
    corrections: corrections.map((correction) => ({
      ...correction,
      currentId: correction.currentId === null ? null : idOf(correction.currentId),
    })),
  };
}

/** All labelled answers, by file and in its order. */
export const answers: readonly LabelledAnswer[] = readdirSync(folder)
  .filter((name) => name !== 'windows.json')
  .toSorted()
  .flatMap((name) =>
    json(name).map((written: Omit<LabelledAnswer, 'topic'>) => ({
      ...written,
      topic: name.replace(/\.json$/, ''),
      answer: withIds(written.answer),
      expect: written.expect.map(withIds),
    })),
  );

/** A report in the form of the labels. */
export function labelsOf({ sentences }: CheckReport): readonly string[] {
  return sentences.map(({ verdict, problems }) =>
    [verdict, problems.map(({ kind, text }) => `${kind} ${text}`).join(' | ')].filter((part) => part !== '').join(' '),
  );
}
