// One memory as an element (design A3), and the sentences of ours that annotate it.

import type { Status } from '../../model/candidate.ts';
import type { CitationId } from '../../model/ids.ts';
import type { JsonObject } from '../../model/json.ts';
import type { SeatableType } from '../../model/memory.ts';
import type { Annotation } from '../../model/window.ts';
import { escapeAttribute, escapeText } from './escape.ts';

const correctedNote = 'This memory relies on a fact that was changed later. The fact as it stands now:';
const withdrawnNote = 'This memory relies on a fact that is no longer current, and no newer one replaces it.';
const contradictedNote = 'Another memory says otherwise.';

/** What the element of a memory is made of. */
export interface ElementParts {
  readonly id: CitationId;
  readonly type: SeatableType;
  readonly status: Status;
  readonly annotations: readonly Annotation[];
  /** The memory's text at the tier that is shown, not escaped. */
  readonly content: string;
}

/** The `<memory>` element: annotations, then content; no line feed at its end (design A3). */
export function renderMemory(parts: ElementParts): string {
  const { id, type, status, annotations, content } = parts;
  const open = `<memory id="${escapeAttribute(id)}" type="${escapeAttribute(type)}" status="${escapeAttribute(status)}">`;
  const inner = [...annotations.map(annotationElement), `<content>${escapeText(content)}</content>`];
  return [open, ...inner.map((line) => `  ${line}`), '</memory>'].join('\n');
}

/** An annotation's sentence, with the current fact's content where it has one; not escaped (design A3, S3). */
function annotationText(annotation: Annotation): string {
  switch (annotation.kind) {
    case 'stale':
      return annotation.currentContent === null ? withdrawnNote : `${correctedNote} ${annotation.currentContent}`;
    case 'contradicted':
      return contradictedNote;
    default:
      throw annotation satisfies never;
  }
}

/** An annotation in a tool result (design T5): the id that it names, and its sentence. */
export function annotationJson(annotation: Annotation): JsonObject {
  const text = annotationText(annotation);
  switch (annotation.kind) {
    case 'stale':
      return annotation.currentId === null ? { text } : { current_fact_id: annotation.currentId, text };
    case 'contradicted':
      return { contradicted_by: annotation.byId, text };
    default:
      throw annotation satisfies never;
  }
}

function annotationElement(annotation: Annotation): string {
  return `<annotation${annotationAttribute(annotation)}>${escapeText(annotationText(annotation))}</annotation>`;
}

function annotationAttribute(annotation: Annotation): string {
  switch (annotation.kind) {
    case 'stale':
      return annotation.currentId === null ? '' : ` current_fact_id="${escapeAttribute(annotation.currentId)}"`;
    case 'contradicted':
      return ` contradicted_by="${escapeAttribute(annotation.byId)}"`;
    default:
      throw annotation satisfies never;
  }
}
