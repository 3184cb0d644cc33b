// What each type of memory says (design A5): one text a type, used to render, to hash and to index it.

import type { Memory, Summary, Workflow } from './memory.ts';
import type { Instant } from './time.ts';

/** The memory's canonical text at full size; its SHA-256 is the memory's content hash. Lines end in `\n` between parts. */
export function fullText(memory: Memory): string {
  switch (memory.type) {
    case 'entity':
    case 'chunk':
      return memory.content;
    case 'conversation':
      return memory.text;
    case 'summary':
      return summaryText(memory);
    case 'workflow':
      return workflowText(memory);
    default:
      throw memory satisfies never;
  }
}

function summaryText(summary: Summary): string {
  const lines = [summary.summary];
  if (summary.keySteps.length > 0) lines.push('Key steps:', ...numbered(summary.keySteps));
  if (summary.outcome !== null) lines.push(`Outcome: ${summary.outcome}`);
  return lines.join('\n');
}

function workflowText(workflow: Workflow): string {
  const lines = [`${workflow.name}: ${workflow.description}`, ...numbered(workflow.steps)];
  if (workflow.expectedOutcome !== null) lines.push(`Expected outcome: ${workflow.expectedOutcome}`);
  return lines.join('\n');
}

function numbered(steps: readonly string[]): readonly string[] {
  return steps.map((step, index) => `${index + 1}. ${step}`);
}

/** What a pointer and a tool result call the memory. */
export function titleOf(memory: Memory): string {
  switch (memory.type) {
    case 'entity':
      return `${memory.subject} ${memory.predicate}`;
    case 'chunk':
      return memory.title;
    case 'conversation':
      return `Turn ${memory.turnIndex} by ${memory.speaker ?? memory.role}`;
    case 'summary':
      return memory.title;
    case 'workflow':
      return memory.name;
    default:
      throw memory satisfies never;
  }
}

/** The time that recency is measured from (design S4). */
export function timeOf(memory: Memory): Instant {
  switch (memory.type) {
    case 'summary':
      return memory.completedAt;
    case 'conversation':
      return memory.lifecycle.createdAt;
    case 'entity':
    case 'workflow':
    case 'chunk':
      return memory.lifecycle.validFrom;
    default:
      throw memory satisfies never;
  }
}

/** The memory's own confidence, or null where its type has none or the row leaves it open. */
export function confidenceOf(memory: Memory): number | null {
  return memory.type === 'chunk' || memory.type === 'conversation' ? null : memory.confidence;
}
