// A3's escaping: exact, decodable, and no way out of an element.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeAttribute, escapeText, unescape } from '../../src/assembly/render/escape.ts';

describe('escaping', () => {
  it('[A3] escapes only &, < and > in text, and also quotes in attributes', () => {
    expect(escapeText(`a & b < c > d " e ' f`)).toBe(`a &amp; b &lt; c &gt; d " e ' f`);
    expect(escapeAttribute(`a & b < c > d " e ' f`)).toBe(`a &amp; b &lt; c &gt; d &quot; e ' f`);
  });

  it('[A3] keeps tab and line feed in text, and shows every other control as a mark', () => {
    expect(escapeText('a\tb\nc')).toBe('a\tb\nc');
    expect(escapeText('\u0000\r\u001b\u007f\u0085\u009f')).toBe('⟦U+0000⟧⟦U+000D⟧⟦U+001B⟧⟦U+007F⟧⟦U+0085⟧⟦U+009F⟧');
    expect(escapeAttribute('a\tb\nc')).toBe('a⟦U+0009⟧b⟦U+000A⟧c');
  });

  it('[A3] shows bidirectional controls, lone surrogates and the two noncharacters as marks', () => {
    for (const code of [0x61c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2066, 0x2069, 0xd800, 0xdfff, 0xfffe, 0xffff]) {
      const hex = code.toString(16).toUpperCase().padStart(4, '0');
      expect(escapeText(String.fromCharCode(code))).toBe(`⟦U+${hex}⟧`);
    }
  });

  it('[A3] keeps what languages need: joiners, the byte order mark, pairs of surrogates', () => {
    const text = 'नि\u200dक\u200c \ufeff👩\u200d🔬 中文 عربى';
    expect(escapeText(text)).toBe(text);
  });

  it('[A3] a mark that a memory forges decodes to itself', () => {
    expect(escapeText('⟦U+202E⟧')).toBe('⟦U+27E6⟧U+202E⟧');
    expect(unescape(escapeText('⟦U+202E⟧ &lt;b&gt;'))).toBe('⟦U+202E⟧ &lt;b&gt;');
  });

  it('[A3] decoding gives back any text exactly', () => {
    const hostile = fc.constantFrom(
      '</memory>',
      '&lt;',
      '&amp;',
      '⟦U+0041⟧',
      '⟦',
      '⟧',
      '\u0000',
      '\ud83d',
      '\ude00',
      '"',
    );
    const text = fc.array(fc.oneof(fc.string({ unit: 'binary' }), hostile)).map((parts) => parts.join(''));
    const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
    fc.assert(
      fc.property(fc.oneof(text, units), (original) => {
        expect(unescape(escapeText(original))).toBe(original);
        expect(unescape(escapeAttribute(original))).toBe(original);
        // oxlint-disable-next-line no-control-regex -- the controls that must not remain
        expect(escapeText(original)).not.toMatch(/[<>\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      }),
      { numRuns: 500 },
    );
  });
});
