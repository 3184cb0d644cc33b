// How numbers and bytes stand in a message of the wire protocol: unsigned integers with their length before them, byte
// strings with a length of one byte, or in chunks where they are long.

const longIndicator = 254;
const nullIndicator = 255;
const longestShort = 252;
const chunkSize = 32_000;

/** Reads a message from its beginning. */
export class WireReader {
  readonly #bytes: Buffer;
  #place = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  isAtEnd(): boolean {
    return this.#place >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes.readUInt8(this.#place);
    this.#place += 1;
    return value;
  }

  skip(count: number): void {
    this.#place += count;
  }

  raw(count: number): Buffer {
    const bytes = this.#bytes.subarray(this.#place, this.#place + count);
    if (bytes.length < count) throw new Error('a message ends before its end');
    this.#place += count;
    return bytes;
  }

  /** An unsigned integer of up to eight bytes. */
  integer(): number {
    return this.raw(this.byte() & 0x7f).reduce((value, byte) => value * 256 + byte, 0);
  }

  integers(count: number): readonly number[] {
    return Array.from({ length: count }, () => this.integer());
  }

  /** Bytes; null for none. */
  bytes(): Buffer | null {
    const length = this.byte();
    if (length === 0 || length === nullIndicator) return null;
    if (length !== longIndicator) return this.raw(length);
    const chunks: Buffer[] = [];
    for (let size = this.integer(); size > 0; size = this.integer()) chunks.push(this.raw(size));
    return Buffer.concat(chunks);
  }

  text(): string {
    return this.bytes()?.toString() ?? '';
  }

  /** A key with its value, as logging in sends them. */
  pair(): readonly [string, string] {
    const key = this.integer() > 0 ? this.text() : '';
    const value = this.integer() > 0 ? this.text() : '';
    this.integer();
    return [key, value];
  }
}

/** Writes a message; every method gives the writer back. */
export class WireWriter {
  readonly #parts: Buffer[] = [];

  byte(...values: readonly number[]): this {
    this.#parts.push(Buffer.from(values));
    return this;
  }

  raw(bytes: Buffer): this {
    this.#parts.push(bytes);
    return this;
  }

  integer(...values: readonly number[]): this {
    for (const value of values) {
      const digits: number[] = [];
      for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
      this.byte(digits.length, ...digits);
    }
    return this;
  }

  bytes(bytes: Buffer): this {
    if (bytes.length <= longestShort) return this.byte(bytes.length).raw(bytes);
    this.byte(longIndicator);
    for (let start = 0; start < bytes.length; start += chunkSize) {
      const chunk = bytes.subarray(start, start + chunkSize);
      this.integer(chunk.length).raw(chunk);
    }
    return this.integer(0);
  }

  text(text: string): this {
    return this.bytes(Buffer.from(text));
  }

  /** A text with its length before it as an integer too. */
  named(text: string): this {
    this.integer(Buffer.byteLength(text));
    return text === '' ? this : this.text(text);
  }

  pair(key: string, value: string, flags = 0): this {
    return this.named(key).named(value).integer(flags);
  }

  done(): Buffer {
    return Buffer.concat(this.#parts);
  }
}
