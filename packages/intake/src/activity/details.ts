import { detailsBytesMax, detailsMax } from '@tenantscope/contract';
import { maskSecretText } from '../field/mask-secret-text.ts';
import { isMaskedName, isSwitch, maskedText } from '../field/mask-secrets.ts';
import { quoteText } from '../json/quote-text.ts';
import type { Detail } from './event-context.ts';
import type { TextLimiter } from './text-limiter.ts';

/**
 * JSON text of `details`: members sorted by the bytes of their names, secrets masked, at most 64 members and 8,192 bytes of
 * names and values. Where there are more bytes, the longest values are cut first. A name that repeats has its values joined
 * by a comma. Written by hand, since an object would put names that are numbers first. Empty where there are none.
 */
export function serializeDetails(details: readonly Detail[], limiter: TextLimiter): string {
  if (details.length === 0) return '';
  const members = limiter.take(joinValues(sortMembers(details, limiter)), detailsMax);
  fitBytes(members, limiter);
  let json = '{';
  for (const { name, value } of members) json += (json.length > 1 ? ',' : '') + name.json + quoteText(value);
  return `${json}}`;
}

interface Member {
  readonly name: MemberName;
  value: string;
}

/** Visible and masked, in the order of names; members of one name keep their order. */
function sortMembers(details: readonly Detail[], limiter: TextLimiter): Member[] {
  const members: Member[] = [];
  let isAscii = true;
  for (const [text, value] of details) {
    const name = readName(text, limiter);
    isAscii &&= name.isAscii;
    const isSecret = name.isMasked && !isSwitch(value);
    members.push({ name, value: isSecret ? maskedText : maskSecretText(limiter.truncate(value, detailsBytesMax)) });
  }
  return members.sort(isAscii ? compareUnits : compareBytes);
}

/** Members of one name become one. */
function joinValues(sorted: Member[]): Member[] {
  const joined: Member[] = [];
  for (const member of sorted) {
    const last = joined.at(-1);
    if (last === undefined || last.name.shown !== member.name.shown) joined.push(member);
    else if (last.value !== member.value) last.value = `${last.value}, ${member.value}`;
  }
  return joined;
}

interface MemberName {
  readonly shown: string;
  /** `"name":` */
  readonly json: string;
  readonly isMasked: boolean;
  readonly isAscii: boolean;
}

/** Names repeat from record to record: what follows from an ASCII name, which is shown as it is, is remembered. */
function readName(text: string, limiter: TextLimiter): MemberName {
  const cached = cachedNames.get(text);
  if (cached !== undefined) return cached;
  const shown = limiter.truncate(text, nameMax);
  const isAscii = asciiName.test(text);
  const name = { shown, json: `${JSON.stringify(shown)}:`, isMasked: isMaskedName(text), isAscii };
  if (isAscii && cachedNames.size < cachedNamesMax) cachedNames.set(text, name);
  return name;
}

/** A tenant can send any name, so that the memory is bounded: names have at most 64 characters. */
const cachedNames = new Map<string, MemberName>();
const cachedNamesMax = 4_096;

/** Cuts values to the largest common limit at which names and values together have at most `detailsBytesMax` bytes. */
function fitBytes(members: readonly Member[], limiter: TextLimiter): void {
  let units = 0;
  for (const { name, value } of members) units += name.shown.length + value.length;
  if (units * maxBytesPerUnit <= detailsBytesMax) return;
  const sizes = members.map(({ value }) => Buffer.byteLength(value));
  const names = members.reduce((sum, { name }) => sum + Buffer.byteLength(name.shown), 0);
  if (sum(sizes) + names <= detailsBytesMax) return;
  limiter.isTruncated = true;
  const limit = findCommonLimit(sizes, Math.max(0, detailsBytesMax - names));
  for (const [index, member] of members.entries()) {
    if ((sizes[index] as number) > limit) member.value = truncateBytes(member.value, limit);
  }
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
function compareBytes(a: Member, b: Member): number {
  return Buffer.compare(Buffer.from(a.name.shown), Buffer.from(b.name.shown));
}

/** The order of UTF-16 units, which for ASCII is that of bytes. */
function compareUnits(a: Member, b: Member): number {
  return a.name.shown < b.name.shown ? -1 : a.name.shown === b.name.shown ? 0 : 1;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** A UTF-16 unit is at most three bytes of UTF-8; a surrogate is half of four. */
const maxBytesPerUnit = 3;
const asciiName = /^[\x20-\x7e]{1,64}$/;
/** Names of parameters have less than 64 characters; 64 names of this length still leave half of the bytes. */
const nameMax = 64;
