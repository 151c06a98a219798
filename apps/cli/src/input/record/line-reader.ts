/** One line of a file: its bytes without the line terminator, or null if it exceeds the maximum. */
export interface Line {
  readonly number: number;
  readonly bytes: Buffer | null;
  readonly length: number;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Splits chunks of bytes into lines, without a byte order mark and the terminators CR LF and LF. Buffers at most one chunk and one line of
 * `maxBytes`: the bytes of longer lines are counted and dropped.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let number = 0;
  let parts: Buffer[] = [];
  let length = 0;

  const append = (part: Buffer) => {
    length += part.length;
    // One extra byte for a carriage return, which does not count.
    if (length <= maxBytes + 1) parts.push(part);
    else parts = [];
  };
  const completeLine = (): Line => {
    number += 1;
    const line =
      length <= maxBytes + 1
        ? withoutCarriageReturn(number === 1 ? withoutByteOrderMark(concatenate(parts)) : concatenate(parts))
        : null;
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
      append(chunk.subarray(from, to));
      yield completeLine();
      from = to + 1;
    }
    if (from < chunk.length) append(chunk.subarray(from));
  }
  if (length > 0) yield completeLine();
}

/** Whether a line has only white space. */
export function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}

function concatenate(parts: Buffer[]): Buffer {
  const [first] = parts;
  return parts.length === 1 && first ? first : Buffer.concat(parts);
}

function withoutCarriageReturn(line: Buffer): Buffer {
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
}

function withoutByteOrderMark(line: Buffer): Buffer {
  return line.subarray(0, 3).equals(byteOrderMark) ? line.subarray(3) : line;
}
