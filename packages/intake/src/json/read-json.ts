import { isUtf8 } from 'node:buffer';
import { type Rejection, reject } from '../message/rejection.ts';
import { parseLossless } from './parse-lossless.ts';
import { restoreExactNumbers } from './restore-exact-numbers.ts';
import { scanJson } from './scan.ts';
import { isObject, type Json } from './value.ts';

export interface ParsedJson {
  readonly value: Json;
  /** Whether some object had two members of one name; the replaced ones are preserved, see `canonicalizeJson`. */
  readonly hasDuplicateNames: boolean;
  /** The text, without a byte order mark. */
  readonly text: Buffer;
}

/**
 * Reads strict UTF-8 JSON without losing anything that distinguishes two records.
 *
 * @param what names the text in a rejection ("the value", "member AuditData")
 */
export function readJson(bytes: Buffer, what: string): ParsedJson | Rejection {
  if (!isUtf8(bytes)) return reject('NOT_UTF8', `${what} is not UTF-8`);
  const content = startsWithByteOrderMark(bytes) ? bytes.subarray(3) : bytes;
  const text = content.toString('utf8');
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    if (text.trim() === '') return reject('EMPTY_PAYLOAD', `${what} is empty`);
    return reject('INVALID_JSON', `${what} is not valid JSON${describePosition(error)}`);
  }
  const { depth, members, exactNumbers } = scanJson(content);
  if (depth > maxDepth) {
    return reject('SCHEMA_VIOLATION', `${what} is nested deeper than ${maxDepth} levels`);
  }
  const hasDuplicateNames = members !== countMembers(value);
  if (hasDuplicateNames || !restoreExactNumbers(value, content, exactNumbers)) value = parseLossless(text);
  return { value, hasDuplicateNames, text: content };
}

/** The number of members in a value; fewer than its text had means that a name was duplicated. */
function countMembers(value: Json): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) count += countMembers(item);
  } else if (isObject(value)) {
    for (const name in value) {
      count++;
      const member = value[name];
      if (typeof member === 'object' && member !== null) count += countMembers(member);
    }
  }
  return count;
}

/** Windows tools write a byte order mark, which `JSON.parse` rejects. */
function startsWithByteOrderMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** The engine's message quotes the text, which must not reach a log or a dead letter's detail; the position may. */
function describePosition(error: unknown): string {
  const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? '' : ` at position ${position}`;
}

/** Provider records stay below 20 levels; the limit keeps every walk over a record within the call stack. */
const maxDepth = 128;
