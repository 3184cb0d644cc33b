// Cuts bytes into lines, each with its newline.

const newline = 10;

/**
 * Hands over whole lines; one that is longer than the limit in pieces. Gives true when the chunk ended at least one,
 * and keeps what is left until its end comes.
 */
export function lineReader(limitBytes: number, onLine: (line: Buffer) => void): (chunk: Buffer) => boolean {
  let held: Buffer[] = [];
  let heldBytes = 0;
  const take = (last: Buffer): Buffer => {
    const line = held.length === 0 ? last : Buffer.concat([...held, last]);
    held = [];
    heldBytes = 0;
    return line;
  };
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      onLine(take(chunk.subarray(from, end + 1)));
      from = end + 1;
    }
    if (from < chunk.length) {
      held.push(chunk.subarray(from));
      heldBytes += chunk.length - from;
      if (heldBytes > limitBytes) onLine(take(Buffer.alloc(0)));
    }
    return from > 0 || heldBytes === 0;
  };
}
