/** What one pass over the bytes of a JSON text tells that `JSON.parse` does not. */
export interface Survey {
  /** Levels of nesting. */
  readonly depth: number;
  /** Members of all objects, repeated names counted each time. */
  readonly members: number;
  /** No number has a fraction, an exponent, a negative zero or more than 15 digits: each survives as a double. */
  readonly plainNumbers: boolean;
}

/**
 * Looks at valid JSON only. It costs about 1 µs per kB and spares nearly every record the lossless reader, which costs
 * five times as much as `JSON.parse`.
 */
export function survey(bytes: Uint8Array): Survey {
  const end = bytes.length;
  let depth = 0;
  let level = 0;
  let members = 0;
  let plainNumbers = true;
  for (let at = 0; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === quote) {
      at++;
      while (at < end && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
    } else if (byte === colon) {
      members++;
    } else if (byte === openBrace || byte === openBracket) {
      level++;
      if (level > depth) depth = level;
    } else if (byte === closeBrace || byte === closeBracket) {
      level--;
    } else if (byte === minus || isDigit(byte)) {
      const first = at;
      while (isDigit(bytes[at + 1])) at++;
      const next = bytes[at + 1];
      const negativeZero = byte === minus && at === first + 1 && bytes[at] === zero;
      if (at - first > 14 || next === point || next === smallE || next === capitalE || negativeZero)
        plainNumbers = false;
    }
  }
  return { depth, members, plainNumbers };
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= nine;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const smallE = 0x65;
const capitalE = 0x45;
