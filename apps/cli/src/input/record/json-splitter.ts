import type { Line } from './line-reader.ts';

/** Members in which pages of an API hold their records. */
const pageMembers: ReadonlySet<string> = new Set(['value', 'records', 'items', 'events', 'data', 'results', 'alerts']);

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** What the input was when it ended. */
export interface JsonEnd {
  /** It ended within a record or an array: the file is truncated. */
  isTruncated: boolean;
}

/**
 * Splits JSON documents of any size into records, byte for byte: top-level objects, and the elements of top-level arrays. Buffers one record of at most
 * `maxBytes`; longer ones are counted and dropped. With `isPage`, the input begins with the list of a page whose other members follow and are skipped.
 *
 * Looks at brackets and strings only: whether a record is valid is decided where it is read. What an input that ends within a record leaves is its last record, so
 * that nothing disappears.
 */
export async function* splitJson(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  end: JsonEnd,
  isPage = false,
): AsyncGenerator<Line> {
  const record = createRecordBuffer(maxBytes);
  let isInArray = false;
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  /** Within a record: a number or a word. */
  let isScalar = false;
  /** Behind the list of a page. */
  let isSkipping = false;
  let isPageOpen = isPage;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isInString = false;
        if (isInString || depth > 0 || isSkipping) continue;
        record.append(chunk.subarray(from, at + 1));
        yield record.complete();
        continue;
      }
      if (isScalar) {
        if (byte !== closeBracket && !isSeparator(byte)) continue;
        isScalar = false;
        record.append(chunk.subarray(from, at));
        yield record.complete();
      }
      if (byte === quote) {
        isInString = true;
        if (depth === 0 && !isSkipping) from = record.begin(at);
      } else if (byte === openBrace || byte === openBracket) {
        if (depth === 0 && !isSkipping && byte === openBracket && !isInArray) {
          isInArray = true;
          continue;
        }
        if (depth === 0 && !isSkipping) from = record.begin(at);
        depth += 1;
      } else if (byte === closeBrace || byte === closeBracket) {
        if (depth > 0) {
          depth -= 1;
          if (depth > 0 || isSkipping) continue;
          record.append(chunk.subarray(from, at + 1));
          yield record.complete();
        } else if (isSkipping) isSkipping = false;
        else if (byte === closeBracket && isInArray) {
          isInArray = false;
          isSkipping = isPageOpen;
          isPageOpen = false;
        } else {
          isScalar = true;
          from = record.begin(at);
        }
      } else if (depth === 0 && !isSkipping && !isSeparator(byte)) {
        isScalar = true;
        from = record.begin(at);
      }
    }
    if (record.isOpen()) record.append(chunk.subarray(from));
  }
  end.isTruncated = isInArray || isSkipping || depth > 0 || isInString;
  if (record.isOpen()) yield record.complete();
}

/** Where the list of records of a page begins, if the text is the beginning of one object with such a member that it does not end; else -1. */
export function findPageList(head: Buffer): number {
  let depth = 0;
  let name = '';
  let list = -1;
  for (let at = 0; at < head.length; at++) {
    const byte = head[at];
    if (byte === quote) {
      const end = findStringEnd(head, at + 1);
      if (depth === 1) name = head.toString('latin1', at + 1, end);
      at = end;
    } else if (byte === openBrace || byte === openBracket) {
      if (byte === openBracket && depth === 1 && list < 0 && pageMembers.has(name)) list = at;
      depth += 1;
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 0) return -1;
    }
  }
  return list;
}

function findStringEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === backslash) at += 1;
    else if (bytes[at] === quote) return at;
  }
  return bytes.length;
}

const isSeparator = (byte: number): boolean => byte <= 0x20 || byte === comma;

/** Collects the bytes of one record; counts and drops those of a longer one. */
function createRecordBuffer(maxBytes: number) {
  let number = 0;
  let parts: Buffer[] = [];
  let length = 0;
  let isOpen = false;
  return {
    isOpen: () => isOpen,
    /** Returns its argument: where the record begins in its chunk. */
    begin(at: number): number {
      isOpen = true;
      return at;
    },
    append(part: Buffer): void {
      length += part.length;
      if (length <= maxBytes) parts.push(part);
      else parts = [];
    },
    complete(): Line {
      number += 1;
      const [first] = parts;
      const bytes = length > maxBytes ? null : parts.length === 1 && first ? first : Buffer.concat(parts);
      const line = { number, bytes, length };
      [parts, length, isOpen] = [[], 0, false];
      return line;
    },
  };
}
