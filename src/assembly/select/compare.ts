// Orders that every machine agrees on: text by code unit, and each one ends in the ref.

import { optionalSlices } from '../../model/budget.ts';
import type { Candidate } from '../../model/candidate.ts';
import { exclusionRules, type Exclusion, type RefJson } from '../../model/manifest.ts';

/** Ascending by code unit, never by a locale (design S5). */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Ascending by type, row id and version (design S5). */
export function compareRefs(a: RefJson, b: RefJson): number {
  return compareText(a[0], b[0]) || compareText(a[1], b[1]) || a[2] - b[2];
}

/** Exclusions in the order of the closed list of rules, within one by ref and slice (design M1). */
export function compareExclusions(a: Exclusion, b: Exclusion): number {
  return (
    exclusionRules.indexOf(a.rule) - exclusionRules.indexOf(b.rule) ||
    compareRefs(a.ref, b.ref) ||
    compareText(a.slice, b.slice)
  );
}

/**
 * By ref; two candidates of one ref by slice and measures. Selection starts from this order, so that the order in which
 * candidates arrive can decide nothing (design S5).
 */
export function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    compareRefs(a.memory.ref, b.memory.ref) || slicePlace(a) - slicePlace(b) || compareText(measures(a), measures(b))
  );
}

function slicePlace(candidate: Candidate): number {
  return candidate.slice === null ? optionalSlices.length : optionalSlices.indexOf(candidate.slice);
}

function measures(candidate: Candidate): string {
  return JSON.stringify([candidate.measured, candidate.origin, candidate.linkedFrom]);
}
