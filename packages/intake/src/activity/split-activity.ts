import type { JsonObject } from '../json/value.ts';
import { isRejection } from '../message/rejection.ts';
import { splitRecords } from '../message/split-records.ts';
import { decodeValue } from '../source/decode-value.ts';
import { type ActivityFormatName, getActivityFormat } from './activity-formats.ts';

/**
 * The provider records of one payload, without wrappers, in the order in which `readActivity` reads them; null in place of
 * one that is no record. For measurements of what rows show of their records.
 */
export function splitActivity(format: ActivityFormatName, payload: Buffer): readonly (JsonObject | null)[] {
  const parsed = decodeValue(payload, 'the value', maxBytes);
  if (isRejection(parsed)) return [];
  return splitRecords(parsed, getActivityFormat(format)).map((record) => (isRejection(record) ? null : record.value));
}

const maxBytes = 1_048_576;
