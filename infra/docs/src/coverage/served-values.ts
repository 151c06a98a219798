import type { Json } from '@tenantscope/intake';
import { listValues } from './member-values.ts';

/** Answers whether a row shows a value of its record. */
export interface ServedValues {
  readonly has: (text: string) => boolean;
  /** Whether a limit of the contract cut something. */
  readonly isTruncated: boolean;
}

/**
 * Values are compared without case. A value of at least four characters may be part of a longer text of the row; a shorter
 * one, such as `0` or `No`, must be a whole value. Of a long value the first 200 characters count: rows have limits.
 */
export function indexServedValues(document: string): ServedValues {
  const row = JSON.parse(document) as Json;
  const texts = listValues(row).map(({ text }) => normalize(text));
  // `details` joins the values of a repeated name.
  const whole = new Set(texts.flatMap((text) => [text, ...text.split(', ')]));
  const all = texts.join('\n');
  return {
    has: (text) => {
      const value = normalize(text).slice(0, comparedMax);
      return whole.has(value) || whole.has(shorten(value)) || (value.length >= partMin && all.includes(shorten(value)));
    },
    isTruncated: (row as { readonly truncated?: boolean }).truncated === true,
  };
}

/** Line ends and runs of spaces are compared as one space. */
const normalize = (text: string): string => text.trim().toLowerCase().replace(/\s+/g, ' ');

/** `…56.3875429Z` is served as `…56.387Z`, the coordinate `7.50` as 7.5, the target `User_<guid>` with its GUID. */
function shorten(value: string): string {
  const [, day, time] = timePattern.exec(value) ?? [];
  if (day !== undefined) return `${day}t${time}`;
  const [, guid] = classPattern.exec(value) ?? [];
  if (guid !== undefined) return guid;
  return decimalPattern.test(value) ? String(Number(value)) : value;
}

const timePattern = /^(\d{4}-\d\d-\d\d)[t ](\d\d:\d\d:\d\d(?:\.\d{1,3})?)/;
const classPattern = /^[a-z]+_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const decimalPattern = /^-?\d{1,15}\.\d{1,15}$/;
const comparedMax = 200;
const partMin = 4;
