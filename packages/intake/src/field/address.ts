import { readAddress } from '@tenantscope/contract';
import { type Json, toText } from '../json/value.ts';

/** The first value that contains an address; see `readAddress`. */
export function firstAddress(...values: readonly (Json | undefined)[]): string | null {
  for (const value of values) {
    const text = toText(value);
    const address = text === null ? null : readAddress(text);
    if (address !== null) return address;
  }
  return null;
}
