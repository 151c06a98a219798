import { detailsBytesMax, detailsMax } from '@tenantscope/contract';
import { maskSecretText } from '../field/mask-secret-text.ts';
import { isMaskedName, maskedText } from '../field/mask-secrets.ts';
import type { Detail } from './event-context.ts';
import type { TextLimiter } from './text-limiter.ts';

/**
 * JSON text of `details`: members sorted by the bytes of their names, secrets masked, at most 64 members and 8,192 bytes of
 * names and values. Where there are more bytes, the longest values are cut first. A name that repeats has its values joined
 * by a comma. Written by hand, since an object would put names that are numbers first. `null` where there are none.
 */
export function serializeDetails(details: readonly Detail[], limiter: TextLimiter): string {
  if (details.length === 0) return 'null';
  const members = limiter.take(sortMembers(details, limiter), detailsMax);
  const values = fitBytes(members, limiter);
  let json = '{';
  for (let index = 0; index < members.length; index++) {
    if (index > 0) json += ',';
    json += quoteName((members[index] as Detail)[0]);
    json += JSON.stringify(values[index]);
  }
  return `${json}}`;
}

/** `"name":`. Names repeat from record to record: those that were quoted are remembered. */
function quoteName(name: string): string {
  const cached = quotedNames.get(name);
  if (cached !== undefined) return cached;
  const quoted = `${JSON.stringify(name)}:`;
  if (quotedNames.size < quotedNamesMax) quotedNames.set(name, quoted);
  return quoted;
}

/** A tenant can send any name, so that the memory is bounded: names have at most 64 characters. */
const quotedNames = new Map<string, string>();
const quotedNamesMax = 4_096;

/** Visible and masked; values are joined by name. */
function sortMembers(details: readonly Detail[], limiter: TextLimiter): Detail[] {
  const values = new Map<string, string>();
  for (const [name, value] of details) {
    const shownName = limiter.truncate(name, nameMax);
    const masked = isSecret(name, value) ? maskedText : maskSecretText(limiter.truncate(value, detailsBytesMax));
    const before = values.get(shownName);
    values.set(shownName, before === undefined || before === masked ? masked : `${before}, ${masked}`);
  }
  const members = [...values];
  // UTF-16 units have the order of UTF-8 except for surrogates, which one test per name finds out: 2 µs less per row.
  const hasSurrogates = members.some(([name]) => surrogate.test(name));
  return members.sort(hasSurrogates ? compareBytes : compareUnits);
}

/** `Is CAE Token: False` tells no token. */
function isSecret(name: string, value: string): boolean {
  return isMaskedName(name) && !truthValue.test(value);
}

/** The values, cut to the largest common limit at which names and values together have at most `detailsBytesMax` bytes. */
function fitBytes(members: readonly Detail[], limiter: TextLimiter): string[] {
  const values = members.map(([, value]) => value);
  const units = members.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (units * maxBytesPerUnit <= detailsBytesMax) return values;
  const sizes = values.map((value) => Buffer.byteLength(value));
  const names = members.reduce((sum, [name]) => sum + Buffer.byteLength(name), 0);
  if (sum(sizes) + names <= detailsBytesMax) return values;
  limiter.isTruncated = true;
  const limit = findCommonLimit(sizes, Math.max(0, detailsBytesMax - names));
  return values.map((value, index) => ((sizes[index] as number) > limit ? truncateBytes(value, limit) : value));
}

/** The largest limit such that sizes cut to it add up to at most `budget`. */
function findCommonLimit(sizes: readonly number[], budget: number): number {
  const ascending = sizes.toSorted((a, b) => a - b);
  let left = budget;
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** At most `limit` bytes of UTF-8, never part of a character. */
function truncateBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  let end = Math.min(limit, bytes.length);
  while (end > 0 && end < bytes.length && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}

/** By code points, which is the order of UTF-8. */
function compareBytes([a]: Detail, [b]: Detail): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Names are distinct. */
function compareUnits([a]: Detail, [b]: Detail): number {
  return a < b ? -1 : 1;
}

const truthValue = /^(?:true|false)$/i;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** A UTF-16 unit is at most three bytes of UTF-8; a surrogate is half of four. */
const maxBytesPerUnit = 3;
const surrogate = /[\ud800-\udfff]/;
/** Names of parameters have less than 64 characters; 64 names of this length still leave half of the bytes. */
const nameMax = 64;
