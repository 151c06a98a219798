/**
 * A document as the places of its lines, by its own characters: nothing is parsed, so that every digit and every escape is preserved. Lines are
 * numbered from 0. What is no JSON comes out in some lines too.
 */
export interface JsonIndex {
  readonly text: string;
  readonly count: number;
  /** Where a line begins. */
  readonly starts: Uint32Array;
  /** Where its value begins, behind the name. */
  readonly values: Uint32Array;
  /** Where it ends, behind its comma. */
  readonly ends: Uint32Array;
  readonly depths: Uint16Array;
  /** The line that closes what this one opens, else itself. */
  readonly closers: Uint32Array;
  /** The line that opens what this one stands in; -1 at the top. */
  readonly parents: Int32Array;
}

/** The longest time that indexing blocks the page before it yields. */
const sliceMs = 12;

/** Workers are made from addresses, and no address is trusted here: a long document is read in slices between which the page lives. */
export async function indexJson(text: string, signal?: AbortSignal): Promise<JsonIndex> {
  const lines = createLineTable(Math.ceil(text.length / 24) + 16);
  const reading: ReaderState = { text, at: 0, begin: -1, value: 0, end: 0, open: [], lines };
  while (!readUntil(reading, performance.now() + sliceMs)) {
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
  }
  return lines.done(text);
}

interface ReaderState {
  readonly text: string;
  at: number;
  /** Of the line that is read; -1 between lines. */
  begin: number;
  value: number;
  end: number;
  readonly open: number[];
  readonly lines: ReturnType<typeof createLineTable>;
}

const tokensBetweenLooks = 1_023;
const space = /[\s]+/y;
const word = /[^\s,:{}[\]"]+/y;

/** Whether the whole text is read. */
function readUntil(reading: ReaderState, untilMs: number): boolean {
  const { text, open, lines } = reading;
  const push = () => {
    if (reading.begin < 0) return;
    lines.push(reading.begin, reading.value, reading.end, open);
    reading.begin = -1;
  };
  const token = (end: number) => {
    if (reading.begin < 0) {
      reading.begin = reading.at;
      reading.value = reading.at;
    }
    reading.at = end;
    reading.end = end;
  };
  for (let tokens = 1; reading.at < text.length; tokens += 1) {
    if ((tokens & tokensBetweenLooks) === 0 && performance.now() >= untilMs) return false;
    const { at } = reading;
    switch (text[at]) {
      case '"':
        token(endOfString(text, at));
        break;
      case '{':
      case '[': {
        const next = skipPattern(space, text, at + 1);
        if (text[next] === (text[at] === '{' ? '}' : ']')) {
          token(next + 1);
          break;
        }
        token(at + 1);
        const line = lines.count();
        push();
        open.push(line);
        break;
      }
      case '}':
      case ']': {
        push();
        const opener = open.pop();
        if (opener !== undefined) lines.close(opener);
        token(at + 1);
        break;
      }
      case ',':
        token(at + 1);
        push();
        break;
      case ':':
        token(at + 1);
        reading.value = skipPattern(space, text, at + 1);
        break;
      default: {
        const end = skipPattern(word, text, at);
        if (end > at) token(end);
        else reading.at = Math.max(skipPattern(space, text, at), at + 1);
      }
    }
  }
  push();
  return true;
}

function skipPattern(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}

/** Columns that grow, since the number of lines is not known in advance. */
function createLineTable(expected: number) {
  let capacity = expected;
  let count = 0;
  let starts = new Uint32Array(capacity);
  let values = new Uint32Array(capacity);
  let ends = new Uint32Array(capacity);
  let depths = new Uint16Array(capacity);
  let closers = new Uint32Array(capacity);
  let parents = new Int32Array(capacity);
  const grow = () => {
    capacity *= 2;
    const larger = <Column extends Uint32Array | Uint16Array | Int32Array>(into: Column, from: Column): Column => {
      into.set(from);
      return into;
    };
    starts = larger(new Uint32Array(capacity), starts);
    values = larger(new Uint32Array(capacity), values);
    ends = larger(new Uint32Array(capacity), ends);
    depths = larger(new Uint16Array(capacity), depths);
    closers = larger(new Uint32Array(capacity), closers);
    parents = larger(new Int32Array(capacity), parents);
  };
  return {
    count: () => count,
    push(start: number, value: number, end: number, open: readonly number[]) {
      if (count === capacity) grow();
      starts[count] = start;
      values[count] = value;
      ends[count] = end;
      depths[count] = open.length;
      closers[count] = count;
      parents[count] = open.at(-1) ?? -1;
      count += 1;
    },
    /** What this line opens is closed by the line that comes next. */
    close(opener: number) {
      closers[opener] = count;
    },
    done: (text: string): JsonIndex => ({ text, count, starts, values, ends, depths, closers, parents }),
  };
}
