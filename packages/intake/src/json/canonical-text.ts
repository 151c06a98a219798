/**
 * The canonical text of a JSON text, the same as `canonicalizeJson` writes of its value, by putting the pieces of the text in
 * order: nothing is decoded, and no object but the result is created. With the hash 4.6 µs per record instead of 7.5.
 *
 * @param prefix ASCII of at most 1,024 characters that the result begins with
 * @param text valid JSON, nested no deeper than the call stack allows
 * @returns bytes that are overwritten by the next call; null where the text is large, or has names or escapes that the pieces
 *   alone do not order or spell: its value is canonicalized instead
 */
export function canonicalizeText(prefix: string, text: Uint8Array): Buffer | null {
  if (text.length > textMax) return null;
  source = text;
  nextNode = 0;
  if (indexValue(skipSpace(0), newNode()) < 0) return null;
  outputEnd = output.write(prefix, 'latin1');
  writeNode(0);
  return output.subarray(0, outputEnd);
}

/**
 * A node is a value and, in an object, its name: five numbers in `nodes`, all positions in `source` or indexes of nodes.
 * Records have 20 to 100 of them.
 */
const nodeSize = 5;
const nameStart = 0;
const valueStart = 1;
const valueEnd = 2;
/** The first member in the order of names, or the first element. */
const firstChild = 3;
const nextSibling = 4;
/** No node, or no position. */
const unset = -1;

/** Memory that every call uses again, since canonicalizing is synchronous; a value takes at least two bytes with its separator. */
const textMax = 65_536;
const prefixMax = 1_024;
const nodes = new Int32Array((textMax / 2 + 1) * nodeSize);
const output = Buffer.allocUnsafeSlow(prefixMax + textMax);
let source: Uint8Array = output;
let nextNode = 0;
let outputEnd = 0;

function newNode(): number {
  const node = nextNode;
  nextNode += nodeSize;
  nodes[node + firstChild] = unset;
  nodes[node + nextSibling] = unset;
  return node;
}

/** Returns where the value that begins at `start` ends; -1 where it is not supported. */
function indexValue(start: number, node: number): number {
  const first = source[start];
  nodes[node + valueStart] = start;
  const end =
    first === quote
      ? skipString(start)
      : first === openBrace
        ? indexMembers(start, node)
        : first === openBracket
          ? indexElements(start, node)
          : skipScalar(start);
  nodes[node + valueEnd] = end;
  return end;
}

function indexMembers(start: number, object: number): number {
  let count = 0;
  let at = skipSpace(start + 1);
  while (source[at] === quote) {
    const endOfName = skipName(at);
    // Sorting by insertion takes the square of the number of members.
    if (endOfName < 0 || ++count > membersMax) return unset;
    const member = newNode();
    nodes[member + nameStart] = at;
    const end = indexValue(skipSpace(skipSpace(endOfName) + 1), member);
    if (end < 0) return unset;
    insertMember(object, member);
    at = skipSeparator(end);
  }
  return at + 1;
}

/** Behind the members whose names are not greater, so that members of one name keep their order. */
function insertMember(object: number, member: number): void {
  let link = object + firstChild;
  let next = nodes[link] as number;
  while (next !== unset && !isNameBefore(member, next)) {
    link = next + nextSibling;
    next = nodes[link] as number;
  }
  nodes[member + nextSibling] = next;
  nodes[link] = member;
}

function isNameBefore(one: number, other: number): boolean {
  let at = nodes[one + nameStart] as number;
  let otherAt = nodes[other + nameStart] as number;
  for (;;) {
    const byte = source[++at] as number;
    const otherByte = source[++otherAt] as number;
    if (byte === otherByte && byte !== quote) continue;
    if (byte === quote || otherByte === quote) return byte === quote && otherByte !== quote;
    return byte < otherByte;
  }
}

function indexElements(start: number, array: number): number {
  let link = array + firstChild;
  let at = skipSpace(start + 1);
  while (source[at] !== closeBracket) {
    const element = newNode();
    nodes[link] = element;
    link = element + nextSibling;
    const end = indexValue(at, element);
    if (end < 0) return unset;
    at = skipSeparator(end);
  }
  return at + 1;
}

/** Returns -1 for a name that is not plain ASCII, and for one that begins with a digit: the language puts array indices first. */
function skipName(start: number): number {
  let at = start + 1;
  if (isDigit(source[at] as number)) return unset;
  for (let byte = source[at] as number; byte !== quote; byte = source[++at] as number) {
    if (byte === backslash || byte > 0x7e) return unset;
  }
  return at + 1;
}

/** Returns -1 for a string with escapes of a second spelling: `\/` and `\u…`. */
function skipString(start: number): number {
  let at = start + 1;
  for (let byte = source[at] as number; byte !== quote; byte = source[++at] as number) {
    if (byte !== backslash) continue;
    const escaped = source[++at];
    if (escaped === slash || escaped === lowerU) return unset;
  }
  return at + 1;
}

/** A number or a literal ends at a separator, a space or the end. */
function skipScalar(start: number): number {
  let at = start;
  while (at < source.length && !endsScalar(source[at] as number)) at++;
  return at;
}

function endsScalar(byte: number): boolean {
  return byte === comma || byte === closeBrace || byte === closeBracket || byte <= space;
}

function skipSeparator(end: number): number {
  const at = skipSpace(end);
  return source[at] === comma ? skipSpace(at + 1) : at;
}

function skipSpace(start: number): number {
  let at = start;
  while ((source[at] as number) <= space) at++;
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function writeNode(node: number): void {
  const start = nodes[node + valueStart] as number;
  const first = source[start] as number;
  if (first !== openBrace && first !== openBracket) {
    copy(start, nodes[node + valueEnd] as number);
    return;
  }
  output[outputEnd++] = first;
  let separator = 0;
  for (let child = nodes[node + firstChild] as number; child !== unset; child = nodes[child + nextSibling] as number) {
    if (separator === comma) output[outputEnd++] = comma;
    separator = comma;
    if (first === openBrace) copyName(nodes[child + nameStart] as number);
    writeNode(child);
  }
  output[outputEnd++] = first === openBrace ? closeBrace : closeBracket;
}

function copyName(start: number): void {
  let at = start;
  do output[outputEnd++] = source[at++] as number;
  while (source[at] !== quote);
  output[outputEnd++] = quote;
  output[outputEnd++] = colon;
}

function copy(start: number, end: number): void {
  let to = outputEnd;
  for (let at = start; at < end; at++) output[to++] = source[at] as number;
  outputEnd = to;
}

/** Objects with more members, of which a sender may make any number, take the other way. */
const membersMax = 128;
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const slash = 0x2f;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const lowerU = 0x75;
const openBrace = 0x7b;
const closeBrace = 0x7d;
