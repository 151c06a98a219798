import { readAddress } from '@tenantscope/contract';
import { type Json, toText } from '../json/value.ts';

/** The first value that contains an address; see `findAddress`. */
export function firstAddress(...values: readonly (Json | undefined)[]): string | null {
  for (const value of values) {
    const text = toText(value);
    const address = text === null ? null : findAddress(text);
    if (address !== null) return address;
  }
  return null;
}

/** The address in a text, of a list its first: providers copy the header of a forwarded request, which begins with the client. */
export function findAddress(text: string): string | null {
  const address = readAddress(text);
  if (address !== null || !separator.test(text)) return address;
  for (const part of text.slice(0, listMax).split(separator)) {
    const listed = readAddress(part);
    if (listed !== null) return listed;
  }
  return null;
}

const separator = /[,;]/;
/** A list of 20 IPv6 addresses. */
const listMax = 1_024;
