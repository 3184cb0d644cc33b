// Subjects of facts that a sentence mentions, by subject or by alias.

import type { ShownMemory } from './shown_memory.ts';

/** A subject where a sentence mentions it. */
export interface SubjectNames {
  readonly subject: string;
  readonly start: number;
  readonly end: number;
}

/** Finds the subjects of a folded text, in its order. */
export type FindSubjects = (folded: string) => readonly SubjectNames[];

/** The part of a subject behind its kind: `helios-rag` of `model:helios-rag`. */
function bareSubject(subject: string): string {
  return subject.slice(subject.lastIndexOf(':') + 1);
}

/** A finder of all subjects that the facts of a window have; a name of two subjects names neither. */
export function subjectFinder(memories: readonly ShownMemory[]): FindSubjects {
  const subjects = new Map<string, Set<string>>();
  for (const { claim, names } of memories) {
    if (claim === null) continue;
    for (const name of [claim.subject, bareSubject(claim.subject), ...names]) {
      const key = name.normalize('NFKC').toLowerCase().trim();
      if (key.length < 2) continue;
      const of = subjects.get(key) ?? new Set<string>();
      subjects.set(key, of.add(claim.subject));
    }
  }
  const clear = [...subjects].filter(([, of]) => of.size === 1).map(([name]) => name);
  if (clear.length === 0) return () => [];
  const longestFirst = clear.toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
  const pattern = new RegExp(
    longestFirst.map((name) => `${edge(name[0])}${escaped(name)}${edge(name.at(-1), '?!')}`).join('|'),
    'giu',
  );
  return (folded) =>
    [...folded.matchAll(pattern)].flatMap((match) => {
      const [subject] = subjects.get(match[0].normalize('NFKC').toLowerCase()) ?? [];
      return subject === undefined ? [] : [{ subject, start: match.index, end: match.index + match[0].length }];
    });
}

/** No letter goes on beside a name, where its script parts words by spaces. */
function edge(character: string | undefined, side: '?<!' | '?!' = '?<!'): string {
  return /[\p{Script=Latin}\d]/u.test(character ?? '') ? `(${side}[\\p{Script=Latin}\\d_])` : '';
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
