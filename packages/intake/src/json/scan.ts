/** What one pass over the bytes of a JSON text finds that `JSON.parse` does not report. */
export interface JsonScan {
  /** Levels of nesting. */
  readonly depth: number;
  /** Members of all objects, duplicate names counted each time. */
  readonly members: number;
  /**
   * Of each number that may not be written as its double would be: its position among all numbers, its start and its end. A
   * few that are, long or with an exponent, are among them.
   */
  readonly exactNumbers: readonly number[];
}

/**
 * Requires valid JSON. It costs about 1 µs per kB and saves nearly every record the lossless parser, which costs five times
 * as much as `JSON.parse`.
 */
export function scanJson(bytes: Uint8Array): JsonScan {
  const end = bytes.length;
  let depth = 0;
  let level = 0;
  let members = 0;
  let numbers = 0;
  const exactNumbers: number[] = [];
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
      const token = at;
      const start = byte === minus ? at + 1 : at;
      let isPlain = true;
      at = skipDigits(bytes, start);
      const whole = at - start;
      let fraction = 0;
      if (bytes[at] === point) {
        const startOfFraction = at + 1;
        at = skipDigits(bytes, startOfFraction);
        fraction = at - startOfFraction;
        if (bytes[at - 1] === zero) isPlain = false;
      }
      if (whole + fraction > 15) isPlain = false;
      const isBelowOne = whole === 1 && bytes[start] === zero;
      // A negative zero loses its sign, and below 10^-6 the language writes an exponent.
      if (isBelowOne && (fraction > 6 || (fraction === 0 && byte === minus))) isPlain = false;
      if (bytes[at] === lowerE || bytes[at] === upperE) {
        isPlain = false;
        at = skipExponent(bytes, at);
      }
      if (!isPlain) exactNumbers.push(numbers, token, at);
      numbers++;
      at--;
    }
  }
  return { depth, members, exactNumbers };
}

function skipDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(bytes[at])) at++;
  return at;
}

function skipExponent(bytes: Uint8Array, start: number): number {
  const sign = bytes[start + 1];
  return skipDigits(bytes, sign === minus || sign === plus ? start + 2 : start + 1);
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
const plus = 0x2b;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const lowerE = 0x65;
const upperE = 0x45;
