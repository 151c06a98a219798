import { isRejection } from '../message/rejection.ts';
import { readJson } from './read-json.ts';
import type { Json } from './value.ts';

/** The list or object that a text of JSON is; any other value, and text that is invalid JSON, unchanged. */
export function decodeJsonText(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string' || !startsList.test(value)) return value;
  const parsed = readJson(Buffer.from(value), 'member');
  return isRejection(parsed) ? value : parsed.value;
}

const startsList = /^\s*[[{]/;
