/** One line of a file: its bytes without the line's end, or null where it is longer than anybody would take. */
export interface Line {
  readonly number: number;
  readonly bytes: Buffer | null;
  readonly length: number;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Cuts chunks of bytes into lines, a byte order mark and the ends CR LF and LF left out. Holds at most one chunk and one line of
 * `maxBytes`, however long a line is: what is longer is counted, not kept.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let number = 0;
  let parts: Buffer[] = [];
  let length = 0;

  const take = (part: Buffer) => {
    length += part.length;
    // One byte of grace for a carriage return that does not count.
    if (length <= maxBytes + 1) parts.push(part);
    else parts = [];
  };
  const finish = (): Line => {
    number += 1;
    const line = length <= maxBytes + 1 ? ending(number === 1 ? withoutMark(joined(parts)) : joined(parts)) : null;
    const whole = {
      number,
      bytes: line !== null && line.length <= maxBytes ? line : null,
      length: line?.length ?? length,
    };
    parts = [];
    length = 0;
    return whole;
  };

  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf(lineFeed); to !== -1; to = chunk.indexOf(lineFeed, from)) {
      take(chunk.subarray(from, to));
      yield finish();
      from = to + 1;
    }
    if (from < chunk.length) take(chunk.subarray(from));
  }
  if (length > 0) yield finish();
}

/** Nothing but white space stands in the line. */
export function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}

function joined(parts: Buffer[]): Buffer {
  const [first] = parts;
  return parts.length === 1 && first ? first : Buffer.concat(parts);
}

function ending(line: Buffer): Buffer {
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
}

function withoutMark(line: Buffer): Buffer {
  return line.subarray(0, 3).equals(byteOrderMark) ? line.subarray(3) : line;
}
