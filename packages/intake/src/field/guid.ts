import { parseGuid } from '@tenantscope/contract';
import { type Json, toText } from '../json/value.ts';

/** The first value that is a GUID other than all zeros, which means absent. Lower case. */
export function firstGuid(...values: readonly (Json | undefined)[]): string | null {
  for (const value of values) {
    const text = toText(value);
    const guid = text === null ? null : parseGuid(text);
    if (guid !== null && guid !== zeros) return guid;
  }
  return null;
}

/** The first text other than a GUID of zeros, which providers write in place of the id of an object that they do not find. */
export function firstId(...values: readonly (Json | undefined)[]): string | null {
  for (const value of values) {
    const text = toText(value);
    if (text !== null && text !== zeros) return text;
  }
  return null;
}

const zeros = '00000000-0000-0000-0000-000000000000';
