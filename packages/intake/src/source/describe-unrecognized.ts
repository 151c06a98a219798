import { truncateText } from '../field/text.ts';
import type { JsonObject } from '../json/value.ts';
import { type Rejection, reject } from '../message/rejection.ts';
import { isNamed } from './find-records.ts';
import { type SourceShape, sourceShapes } from './source-shapes.ts';

/**
 * The rejection of a value that has not the names of its format, with what it has instead: its outermost members, never
 * their values, and the formats whose names it has.
 */
export function describeUnrecognized(rejection: Rejection, value: JsonObject, shape: SourceShape): Rejection {
  if (isNamed(value, shape)) return rejection;
  const names = Object.keys(value);
  const shown = names.slice(0, shownMembers).map((name) => truncateText(name, longestName));
  const rest = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  const members = names.length === 0 ? 'no members' : `the members ${shown.join(', ')}${rest}`;
  const formats = findFormats(value);
  const advice = formats.length === 0 ? 'no format has these names' : `names of the format ${formats.join(', ')}`;
  return reject(rejection.rejected, `${rejection.detail}: the value has ${members}; ${advice}`);
}

function findFormats(value: JsonObject): string[] {
  const found: string[] = [];
  for (const [name, shape] of distinctShapes) {
    if (found.length < shownFormats && isNamed(value, shape)) found.push(name);
  }
  return found;
}

/** One of the formats with the same names: a record's category tells them apart. */
const distinctShapes: ReadonlyMap<string, SourceShape> = new Map(
  Map.groupBy(Object.entries<SourceShape>(sourceShapes), ([, { names }]) => JSON.stringify(names))
    .values()
    .map(([first]) => first as [string, SourceShape]),
);
const shownMembers = 8;
const shownFormats = 3;
const longestName = 32;
