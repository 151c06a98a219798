import { readGuid } from '@tenantscope/contract';
import { type Json, textOf } from '../json/value.ts';

/** The first value that is a GUID other than all zeros, which stands for none. Lower case. */
export function firstGuid(...values: readonly (Json | undefined)[]): string | null {
  for (const value of values) {
    const text = textOf(value);
    const guid = text === null ? null : readGuid(text);
    if (guid !== null && guid !== zeros) return guid;
  }
  return null;
}

const zeros = '00000000-0000-0000-0000-000000000000';
