// One memory as an element (A3), what each type says at each tier (A5), and citation ids (A4).

import { describe, expect, it } from 'vitest';
import { formsAt, renderForm } from '../../src/assembly/fit.ts';
import { contentHash } from '../../src/assembly/hash.ts';
import { citationIdOf } from '../../src/assembly/render/citation.ts';
import { renderMemory } from '../../src/assembly/render/memory.ts';
import { pointerText } from '../../src/assembly/render/pointer.ts';
import type { Tier } from '../../src/model/candidate.ts';
import { citationId, rowId } from '../../src/model/ids.ts';
import { fullText } from '../../src/model/memory_text.ts';
import type { Memory } from '../../src/model/memory.ts';
import type { Annotation } from '../../src/model/window.ts';
import { candidate, chunk, entity, summary, turn, workflow } from './fixtures.ts';
import { selected } from './selections.ts';

const id = citationId('B0123456789');
const element = (content: string, annotations: readonly Annotation[] = []) =>
  renderMemory({ id, type: 'summary', status: 'historical', annotations, content });

function shown(memory: Memory, tier: Tier): readonly string[] {
  return formsAt(selected(memory), tier).map(({ content }) => content);
}

describe('memory element', () => {
  it('[A3] has id, type, status, content on an indented line, and no line feed at its end', () => {
    expect(element('text')).toBe(
      '<memory id="B0123456789" type="summary" status="historical">\n  <content>text</content>\n</memory>',
    );
  });

  it('[A3] escapes content', () => {
    expect(element('</content></memory><memory id="B1">')).toContain(
      '<content>&lt;/content&gt;&lt;/memory&gt;&lt;memory id="B1"&gt;</content>',
    );
  });

  it('[A3,S3] puts annotations before the content, with the current fact escaped', () => {
    const annotation: Annotation = {
      kind: 'stale',
      source: ['entity', rowId('old'), 1],
      current: ['entity', rowId('new'), 2],
      currentId: citationId('Baaaaaaaaaa'),
      currentContent: 'x < y',
    };
    const lines = element('text', [annotation]).split('\n');
    expect(lines[1]).toMatch(/^ {2}<annotation current_fact_id="Baaaaaaaaaa">[^<]+: x &lt; y<\/annotation>$/);
    expect(lines[2]).toBe('  <content>text</content>');
  });

  it('[A3,S3] says that a fact is no longer current when none replaces it, without an id', () => {
    const annotation: Annotation = {
      kind: 'stale',
      source: ['entity', rowId('old'), 1],
      current: null,
      currentId: null,
      currentContent: null,
    };
    expect(element('text', [annotation])).toMatch(/\n {2}<annotation>[^<]*no longer current[^<]*<\/annotation>\n/);
  });

  it('[A3,S3] names the other end of a contradiction', () => {
    const by: Annotation = { kind: 'contradicted', by: ['entity', rowId('b'), 1], byId: citationId('Bbbbbbbbbbb') };
    expect(element('text', [by])).toContain('  <annotation contradicted_by="Bbbbbbbbbbb">');
  });

  it('[A4] gives the ids of the design for its two rows', () => {
    expect(citationIdOf(['entity', rowId('ctxseed_2688f0418960d68379370cf8'), 2])).toBe('B331ec01f36');
    expect(citationIdOf(['summary', rowId('context_july_summary'), 1])).toBe('Bb08645346e');
  });
});

describe('what a type says', () => {
  it('[A5] entity, chunk and turn show their text', () => {
    expect(shown(entity('e', 'the fact'), 'full')).toEqual(['the fact']);
    expect(shown(chunk('c', 'the passage'), 'full')).toEqual(['the passage']);
    expect(shown(turn(3, 'the words'), 'full')).toEqual(['the words']);
  });

  it('[A5] a workflow shows name, description, numbered steps and expected outcome', () => {
    expect(shown(workflow('w'), 'full')).toEqual([
      'workflow w: How the index is rebuilt\n1. stop the writers\n2. rebuild\n3. start the writers\nExpected outcome: the index answers again',
    ]);
  });

  it('[A5] a summary shows key steps and outcome at full size, and itself alone at its summary tier', () => {
    const episode = summary('s', 'We chose A.', { keySteps: ['measured'], outcome: 'A it is' });
    expect(shown(episode, 'full')).toEqual(['We chose A.\nKey steps:\n1. measured\nOutcome: A it is']);
    expect(shown(episode, 'summary')).toEqual(['We chose A.']);
    expect(shown(summary('t', 'Short.'), 'summary')).toEqual([]);
  });

  it('[A5] a pointer shows title, id, the first 120 characters, and that expand fetches the rest', () => {
    const text = '😀'.repeat(130);
    const pointer = pointerText(chunk('c', text), id);
    expect(pointer).toContain('Document of c');
    expect(pointer).toContain(id);
    expect(pointer).toContain('expand');
    expect(pointer).toContain(`${'😀'.repeat(120)}…`);
    expect(pointer).not.toContain('😀'.repeat(121));
  });

  it('[A5] a pointer to a short memory shows all of it and no ellipsis', () => {
    expect(pointerText(entity('e', 'short'), id)).not.toContain('…');
  });

  it('[F1,C1] a compression counts only while its source has the same text', () => {
    const memory = chunk('c', 'a long passage');
    const compression = {
      id: rowId('compression_1'),
      source: memory.ref,
      sourceHash: contentHash(memory),
      text: 'short',
      tokens: 1,
      model: 'm',
      promptVersion: '1',
    };
    const withCompression = (change: object) =>
      formsAt(selected(candidate(memory, { compression: { ...compression, ...change } })), 'summary');
    expect(withCompression({}).map(({ content }) => content)).toEqual(['short']);
    expect(withCompression({ sourceHash: 'other' })).toEqual([]);
    expect(withCompression({ source: ['chunk', rowId('d'), 1] })).toEqual([]);
  });

  it('[A3] renders the form that was chosen', () => {
    const memory = entity('e', 'a & b');
    const chosen = selected(memory);
    const [form] = formsAt(chosen, 'full');
    expect(renderForm(chosen, form!)).toContain('<content>a &amp; b</content>');
    expect(fullText(memory)).toBe('a & b');
  });
});
