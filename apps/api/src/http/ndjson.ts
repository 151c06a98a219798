const head = Buffer.from('{"data":[');
const tail = Buffer.from('],"pagination":');
const [quote, backslash, comma, lineFeed, carriageReturn, space] = Buffer.from('"\\,\n\r ');
const [openObject, closeObject, openArray, closeArray] = Buffer.from('{}[]');

/**
 * The body of a list as NDJSON: each row with the bytes that it has in the list, then the pagination, all with a line feed. Rows are not parsed:
 * the bytes between them become line feeds.
 */
export function toNdjson(list: Buffer | string): Buffer {
  const body = Buffer.from(list);
  if (!body.subarray(0, head.length).equals(head)) throw new TypeError('the body is not a list');
  const end = separateRows(body, head.length);
  if (!body.subarray(end, end + tail.length).equals(tail)) throw new TypeError('the list has no pagination');
  const rows = body.subarray(head.length, end);
  const pagination = body.subarray(end + 2);
  return Buffer.concat([rows, ...(rows.length === 0 ? [] : [newLine]), openingBrace, pagination, newLine]);
}

const newLine = Buffer.from('\n');
const openingBrace = Buffer.from('{');

/** Replaces the commas between the values of an array by line feeds; returns where its closing bracket is. */
function separateRows(body: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < body.length; at++) {
    switch (body[at]) {
      case quote:
        at = findStringEnd(body, at + 1);
        break;
      case openObject:
      case openArray:
        depth += 1;
        break;
      case closeArray:
        if (depth === 0) return at;
        depth -= 1;
        break;
      case closeObject:
        depth -= 1;
        break;
      case comma:
        if (depth === 0) body[at] = lineFeed as number;
        break;
      // White space between tokens: a row is one line.
      case lineFeed:
      case carriageReturn:
        body[at] = space as number;
        break;
    }
  }
  throw new TypeError('the list does not end');
}

/** Where the string that begins at `from` has its closing quote. */
function findStringEnd(body: Buffer, from: number): number {
  for (let at = from; at < body.length; at++) {
    if (body[at] === backslash) at += 1;
    else if (body[at] === quote) return at;
  }
  throw new TypeError('a string does not end');
}
