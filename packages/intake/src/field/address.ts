import { isIP } from 'node:net';
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

/**
 * The IP address inside a provider's text, in canonical form (RFC 5952 for IPv6), or null.
 *
 * Providers write `1.2.3.4:443`, `[2001:db8::1]:443`, `HOST (1.2.3.4)`, `[HOST (1.2.3.4)]`, zone ids, IPv4 inside IPv6, and
 * words in place of addresses. A colon separates a port only after a dotted quad or a bracket: several public collectors had
 * the bug of splitting an IPv6 address at a colon.
 */
export function readAddress(text: string): string | null {
  let candidate = text.trim();
  if (isIP(candidate) === 4) return candidate;
  candidate = bracketed.exec(candidate)?.[1] ?? candidate;
  candidate = (afterHost.exec(candidate)?.[1] ?? candidate).trim();
  candidate = bracketed.exec(candidate)?.[1] ?? candidate;
  candidate = quadWithPort.exec(candidate)?.[1] ?? candidate;
  const zone = candidate.indexOf('%');
  if (zone !== -1) candidate = candidate.slice(0, zone);
  const inner = mapped.exec(candidate)?.[1];
  if (inner !== undefined && isIP(inner) === 4) return inner;
  const version = isIP(candidate);
  if (version === 4) return candidate;
  return version === 6 ? compressAddress(candidate.toLowerCase()) : null;
}

/** RFC 5952: no leading zeros, the longest run of two or more zero groups as `::`. One address, one text to filter by. */
function compressAddress(address: string): string {
  const groups = parseGroups(address);
  const quad = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  const [high, low] = [groups[6] as number, groups[7] as number];
  if (quad) return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
  let longest = { start: 0, length: 1 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > longest.length) longest = { start, length };
  }
  const texts = groups.map((group) => group.toString(16));
  if (longest.length < 2) return texts.join(':');
  return `${texts.slice(0, longest.start).join(':')}::${texts.slice(longest.start + longest.length).join(':')}`;
}

function parseGroups(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const before = parseGroupList(head);
  if (tail === undefined) return before;
  const after = parseGroupList(tail);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function parseGroupList(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [first = 0, second = 0, third = 0, fourth = 0] = group.split('.').map(Number);
    return [first * 256 + second, third * 256 + fourth];
  });
}

const bracketed = /^\[(.*)\](?::\d{1,5})?$/;
const afterHost = /^[^()]*\(([^()]*)\)$/;
const quadWithPort = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/;
/** Also without the leading colons, as one of Microsoft's own examples has it. */
const mapped = /^(?:::)?ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;
