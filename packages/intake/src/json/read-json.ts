import { isUtf8 } from 'node:buffer';
import { type Rejection, reject } from '../rejection.ts';
import { readLosslessly } from './lossless.ts';
import { survey } from './survey.ts';
import { isObject, type Json } from './value.ts';

export interface Reading {
  readonly value: Json;
  /** Whether some object had two members of one name; the hidden ones are kept, see `canonicalText`. */
  readonly repeatsNames: boolean;
}

/**
 * Reads strict UTF-8 JSON without losing anything that tells two records apart.
 *
 * @param what names the text in a rejection («the message», «member AuditData»)
 */
export function readJson(bytes: Buffer, what: string): Reading | Rejection {
  if (!isUtf8(bytes)) return reject('NOT_UTF8', `${what} is not UTF-8`);
  const content = startsWithMark(bytes) ? bytes.subarray(3) : bytes;
  const text = content.toString('utf8');
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    if (text.trim() === '') return reject('EMPTY_PAYLOAD', `${what} is empty`);
    return reject('INVALID_JSON', `${what} is not valid JSON${placeOf(error)}`);
  }
  const { depth, members, plainNumbers } = survey(content);
  if (depth > deepestNesting) {
    return reject('SCHEMA_VIOLATION', `${what} is nested deeper than ${deepestNesting} levels`);
  }
  const repeatsNames = members !== membersOf(value);
  return { value: plainNumbers && !repeatsNames ? value : readLosslessly(text), repeatsNames };
}

/** Members left in a value; fewer than its text had means that a name was repeated. */
function membersOf(value: Json): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) count += membersOf(item);
  } else if (isObject(value)) {
    for (const name in value) {
      count++;
      const member = value[name];
      if (typeof member === 'object' && member !== null) count += membersOf(member);
    }
  }
  return count;
}

/** Windows tools write a byte order mark, which `JSON.parse` refuses. */
function startsWithMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** The engine's message quotes the text, which must not reach a log or a dead letter's detail; its position may. */
function placeOf(error: unknown): string {
  const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? '' : ` at position ${position}`;
}

/** Provider records stay below 20 levels; the limit keeps every walk over a record within the call stack. */
const deepestNesting = 128;
