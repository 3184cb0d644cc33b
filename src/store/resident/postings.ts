// Which rows hold a term, and how often: for each term a list of (slot, frequencies) in a few bytes each, slots rising.

import type { PerField } from '../search_values.ts';
import { grown } from './columns.ts';
import { createFrequencyTable } from './frequency_table.ts';

/** The rows that hold a term, in rising order of slots. Overwritten by the next reading. */
export interface Posted {
  /** How many; the arrays may be longer. */
  readonly count: number;
  readonly slots: Uint32Array;
  /** For each row, the number of its frequencies. */
  readonly frequencies: Uint32Array;
}

/** Lists of all terms. */
export interface Postings {
  /** About so many. */
  readonly bytes: number;
  /** Adds a row's terms. A slot is higher than all before it. */
  add(slot: number, terms: readonly (readonly [term: string, frequencies: PerField])[]): void;
  read(term: string): Posted;
  /** The frequencies that a number of {@link Posted} stands for. */
  frequenciesAt(code: number): PerField;
}

// Bytes stand in blocks, never moved, and a list in slices of them: most terms occur once or twice, some in every row.
// The last four bytes of a slice that is full are the address of the next one.
const blockBits = 16;
const blockBytes = 1 << blockBits;
const sliceBytes = [8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048] as const;
const addressBytes = 4;
const longestSlice = 2048;

// What the runtime keeps of a term beside its characters: the text's head and its place in the map.
const bytesBeside = 56;

/** What is known of each list, by the term's number. */
interface Lists {
  counts: Uint32Array;
  heads: Uint32Array;
  /** Where the next byte goes, and where the slice's address of the next one begins. */
  tails: Uint32Array;
  ends: Uint32Array;
  lastSlots: Int32Array;
  levels: Uint8Array;
}

/** Makes empty lists. */
export function createPostings(): Postings {
  const codes = new Map<string, number>();
  const table = createFrequencyTable();
  const arena = createArena();
  const lists: Lists = {
    counts: new Uint32Array(0),
    heads: new Uint32Array(0),
    tails: new Uint32Array(0),
    ends: new Uint32Array(0),
    lastSlots: new Int32Array(0),
    levels: new Uint8Array(0),
  };
  const read = { count: 0, slots: new Uint32Array(0), frequencies: new Uint32Array(0) };
  let characters = 0;
  const newList = (term: string): number => {
    const code = codes.size;
    codes.set(term, code);
    characters += term.length;
    for (const name of ['counts', 'heads', 'tails', 'ends'] as const) lists[name] = grown(lists[name], code + 1);
    lists.lastSlots = grown(lists.lastSlots, code + 1);
    lists.levels = grown(lists.levels, code + 1);
    const head = arena.allocate(sliceBytes[0]);
    lists.heads[code] = head;
    lists.tails[code] = head;
    lists.ends[code] = head + sliceBytes[0] - addressBytes;
    lists.lastSlots[code] = -1;
    return code;
  };
  return {
    get bytes() {
      const columns = Object.values(lists).reduce((sum, column: Uint8Array | Int32Array) => sum + column.byteLength, 0);
      const scratch = read.slots.byteLength + read.frequencies.byteLength;
      return arena.bytes + table.bytes + columns + scratch + characters + codes.size * bytesBeside;
    },
    add: (slot, terms) => {
      for (const [term, frequencies] of terms) {
        append(arena, lists, codes.get(term) ?? newList(term), { slot, frequencies: table.add(frequencies) });
      }
    },
    read: (term) => {
      const code = codes.get(term);
      read.count = code === undefined ? 0 : (lists.counts[code] ?? 0);
      read.slots = grown(read.slots, read.count);
      read.frequencies = grown(read.frequencies, read.count);
      if (code !== undefined) decode(arena, lists.heads[code] ?? 0, read);
      return read;
    },
    frequenciesAt: (code) => table.at(code),
  };
}

interface Arena {
  readonly bytes: number;
  readonly blocks: readonly Uint8Array[];
  /** The address of so many zeros in a row. */
  allocate(bytes: number): number;
}

const noBlock = new Uint8Array(0);

function createArena(): Arena {
  const blocks: Uint8Array[] = [];
  let next = 0;
  return {
    get bytes() {
      return blocks.length * blockBytes;
    },
    blocks,
    allocate: (bytes) => {
      if (next + bytes > blocks.length * blockBytes) next = (blocks.push(new Uint8Array(blockBytes)) - 1) * blockBytes;
      next += bytes;
      return next - bytes;
    },
  };
}

/**
 * An entry is the way from the slot before (1 or more, so that its first byte is never 0) and the number of the
 * frequencies, seven bits a byte. One that does not fit stands in the next slice as a whole, and a 0 in its place.
 */
function append(
  arena: Arena,
  lists: Lists,
  code: number,
  entry: { readonly slot: number; readonly frequencies: number },
): void {
  const step = entry.slot - (lists.lastSlots[code] ?? 0);
  let address = lists.tails[code] ?? 0;
  if (address + bytesOf(step) + bytesOf(entry.frequencies) > (lists.ends[code] ?? 0)) {
    address = nextSlice(arena, lists, code);
  }
  const block = arena.blocks[address >>> blockBits] ?? noBlock;
  const at = writeNumber(block, address & (blockBytes - 1), step);
  const end = writeNumber(block, at, entry.frequencies);
  lists.tails[code] = address + end - (address & (blockBytes - 1));
  lists.lastSlots[code] = entry.slot;
  lists.counts[code] = (lists.counts[code] ?? 0) + 1;
}

function nextSlice(arena: Arena, lists: Lists, code: number): number {
  const level = (lists.levels[code] ?? 0) + 1;
  const bytes = sliceBytes[level] ?? longestSlice;
  const address = arena.allocate(bytes);
  const end = lists.ends[code] ?? 0;
  const block = arena.blocks[end >>> blockBits] ?? noBlock;
  const at = end & (blockBytes - 1);
  for (let byte = 0; byte < addressBytes; byte += 1) block[at + byte] = address >>> (8 * byte);
  lists.levels[code] = Math.min(level, sliceBytes.length);
  lists.ends[code] = address + bytes - addressBytes;
  return address;
}

function bytesOf(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5;
}

function writeNumber(block: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest > 127; rest >>>= 7) {
    block[at] = (rest & 127) | 128;
    at += 1;
  }
  block[at] = rest;
  return at + 1;
}

/** Fills the arrays with the entries of the list that begins at the address. */
function decode(arena: Arena, head: number, { count, slots, frequencies }: Posted): void {
  let block = arena.blocks[head >>> blockBits] ?? noBlock;
  let at = head & (blockBytes - 1);
  let level = 0;
  let end = at + sliceBytes[0] - addressBytes;
  let slot = -1;
  for (let entry = 0; entry < count; entry += 1) {
    if (at === end || block[at] === 0) {
      const address = addressAt(block, end);
      block = arena.blocks[address >>> blockBits] ?? noBlock;
      at = address & (blockBytes - 1);
      level += 1;
      end = at + (sliceBytes[level] ?? longestSlice) - addressBytes;
    }
    let byte = block[at] ?? 0;
    let value = byte & 127;
    at += 1;
    for (let shift = 7; byte > 127; shift += 7, at += 1) {
      byte = block[at] ?? 0;
      value |= (byte & 127) << shift;
    }
    slot += value;
    slots[entry] = slot;
    byte = block[at] ?? 0;
    value = byte & 127;
    at += 1;
    for (let shift = 7; byte > 127; shift += 7, at += 1) {
      byte = block[at] ?? 0;
      value |= (byte & 127) << shift;
    }
    frequencies[entry] = value;
  }
}

function addressAt(block: Uint8Array, at: number): number {
  return (
    ((block[at] ?? 0) | ((block[at + 1] ?? 0) << 8) | ((block[at + 2] ?? 0) << 16) | ((block[at + 3] ?? 0) << 24)) >>> 0
  );
}
