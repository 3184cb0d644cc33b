// Texts taken apart into word pieces: a word that came before is known by its letters, without a string made of it.

/** Places for words, a power of two: about twice as many as there is room for, so that most words find one at once. */
const places = 2 ** 17;

/** A word stands in one of so many places from its own on: no choice of words makes looking for one take long. */
const placesOfWord = 8;

/** Room for the letters and the pieces of all kept words, some 60,000: 3 MiB with their places. */
const letterRoom = 2 ** 19;
const pieceRoom = 2 ** 17;

/** Longer words are rare and hardly come again; nor do words of more pieces. In UTF-16 code units. */
const longestKeptWord = 40;
const mostKeptPieces = 40;

const [tab, lineFeed, carriageReturn, blank] = [9, 10, 13, 32];

/** A word within a text. */
interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** A number made of the letters: whoever has the same letters has the same. */
  readonly hash: number;
}

/**
 * Makes what takes texts apart: gives the pieces of each word in order, where blanks, tabs and ends of lines stand between
 * words. `read` gives the pieces of one word, always the same ones; it is asked for words that are not kept.
 */
export function wordPieces(read: (word: string) => readonly number[]): (text: string) => readonly number[] {
  const kept = keptWords();
  return (text) => {
    const pieces: number[] = [];
    let start = 0;
    let hash = 0;
    for (let end = 0; end <= text.length; end += 1) {
      const code = end < text.length ? text.charCodeAt(end) : blank;
      if (code !== blank && code !== lineFeed && code !== tab && code !== carriageReturn) {
        // By the prime of FNV-1a.
        hash = Math.imul(hash ^ code, 0x01000193);
        continue;
      }
      if (end > start && !kept.addPieces({ text, start, end, hash }, pieces)) {
        const own = read(text.slice(start, end));
        for (const piece of own) pieces.push(piece);
        kept.keep({ text, start, end, hash }, own);
      }
      start = end + 1;
      hash = 0;
    }
    return pieces;
  };
}

/** Words with their pieces, in a few long arrays: strings would be many small things, and some hold their whole text. */
function keptWords() {
  // Of each place: how long its word is, 0 for none, and where its letters begin; how many pieces it has, and where.
  const lengths = new Uint8Array(places);
  const letterStarts = new Uint32Array(places);
  const counts = new Uint8Array(places);
  const pieceStarts = new Uint32Array(places);
  const letters = new Uint16Array(letterRoom);
  const pieces = new Int32Array(pieceRoom);
  let [usedLetters, usedPieces] = [0, 0];

  const holds = (place: number, { text, start, end }: Word): boolean => {
    if (lengths[place] !== end - start) return false;
    const shift = (letterStarts[place] ?? 0) - start;
    for (let at = start; at < end; at += 1) if (letters[shift + at] !== text.charCodeAt(at)) return false;
    return true;
  };
  const write = (place: number, { text, start, end }: Word, own: readonly number[]): void => {
    lengths[place] = end - start;
    letterStarts[place] = usedLetters;
    for (let at = start; at < end; at += 1) letters[usedLetters + at - start] = text.charCodeAt(at);
    usedLetters += end - start;
    counts[place] = own.length;
    pieceStarts[place] = usedPieces;
    pieces.set(own, usedPieces);
    usedPieces += own.length;
  };
  return {
    /** Adds the pieces of the word; false where it is not kept. */
    addPieces(word: Word, to: number[]): boolean {
      for (let tried = 0; tried < placesOfWord; tried += 1) {
        const place = placeOf(word, tried);
        if (lengths[place] === 0) return false;
        if (!holds(place, word)) continue;
        const start = pieceStarts[place] ?? 0;
        const end = start + (counts[place] ?? 0);
        for (let at = start; at < end; at += 1) to.push(pieces[at] ?? 0);
        return true;
      }
      return false;
    },
    /** Keeps a word that is not kept, if one of its places is free. */
    keep(word: Word, own: readonly number[]): void {
      if (word.end - word.start > longestKeptWord || own.length > mostKeptPieces) return;
      // All at once: to forget the oldest each time would cost more than to read the common ones again.
      if (usedLetters + longestKeptWord > letterRoom || usedPieces + mostKeptPieces > pieceRoom) {
        lengths.fill(0);
        [usedLetters, usedPieces] = [0, 0];
      }
      for (let tried = 0; tried < placesOfWord; tried += 1) {
        const place = placeOf(word, tried);
        if (lengths[place] === 0) return write(place, word, own);
      }
    },
  };
}

function placeOf({ hash }: Word, tried: number): number {
  return ((hash ^ (hash >>> 15)) + tried) & (places - 1);
}
