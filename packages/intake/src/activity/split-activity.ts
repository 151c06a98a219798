import { readJson } from '../json/read-json.ts';
import type { JsonObject } from '../json/value.ts';
import { isRejection } from '../message/rejection.ts';
import { type ActivityFormatName, getActivityFormat } from './activity-formats.ts';

/**
 * The provider records of one payload, without wrappers, in the order in which `readActivity` reads them; null in place of
 * one that is no record. For measurements of what rows show of their records.
 */
export function splitActivity(format: ActivityFormatName, payload: Buffer): readonly (JsonObject | null)[] {
  const parsed = readJson(payload, 'the value');
  if (isRejection(parsed)) return [];
  return getActivityFormat(format)
    .split(parsed)
    .map((record) => (isRejection(record) ? null : record.value));
}
