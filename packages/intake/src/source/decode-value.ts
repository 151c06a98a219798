import { gunzipSync } from 'node:zlib';
import { type ParsedJson, readJson } from '../json/read-json.ts';
import { isRejection, type Rejection, reject } from '../message/rejection.ts';

/**
 * Reads a value as collectors send it: JSON, several lines of JSON as one array of them, or either of them compressed by
 * gzip.
 *
 * @param what names the value in a rejection ("the value")
 * @param maxBytes of the decompressed content
 */
export function decodeValue(bytes: Buffer, what: string, maxBytes: number): ParsedJson | Rejection {
  if (bytes[0] !== gzipMagic[0] || bytes[1] !== gzipMagic[1]) return readJsonOrLines(bytes, what);
  let content: Buffer;
  try {
    content = gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    const isLarge = error instanceof RangeError;
    return isLarge
      ? reject('TOO_LARGE', `${what} has more than ${maxBytes} bytes when decompressed`)
      : reject('INVALID_JSON', `${what} is not valid gzip`);
  }
  return readJsonOrLines(content, what);
}

function readJsonOrLines(bytes: Buffer, what: string): ParsedJson | Rejection {
  const parsed = readJson(bytes, what);
  if (!isRejection(parsed) || parsed.rejected !== 'INVALID_JSON') return parsed;
  const lines = joinLines(bytes);
  return lines === null ? parsed : readJson(lines, what);
}

/**
 * The text of an array of the lines, null where the first line is no JSON object: a document that was cut has lines too. A
 * later line that is not valid JSON becomes a string, so that it alone is rejected.
 */
function joinLines(bytes: Buffer): Buffer | null {
  const lines = bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const first = lines[0];
  if (lines.length < 2 || first === undefined || !first.startsWith('{') || !isJson(first)) return null;
  return Buffer.from(`[${lines.map((line) => (isJson(line) ? line : JSON.stringify(line))).join(',\n')}]`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const gzipMagic = [0x1f, 0x8b];
