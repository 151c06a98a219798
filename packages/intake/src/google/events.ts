import { sha256Hex } from '../activity/log-id.ts';
import { canonicalizeJson } from '../json/canonical.ts';
import { isObject, type Json, type JsonObject } from '../json/value.ts';
import { type Rejection, reject } from '../message/rejection.ts';
import type { SplitRecord } from '../message/split-records.ts';
import { readWarehouseRow } from './warehouse.ts';

/**
 * Splits an envelope into one record per event. An event is identified by the envelope without its events, the event and its
 * position. Collectors also send the envelope already split, with `events` as one object, or, from a warehouse, with the
 * event's members among the envelope's: these contain one event, at position 0.
 */
export function splitEvents(envelope: JsonObject, hasDuplicateNames: boolean): readonly (SplitRecord | Rejection)[] {
  const { events, ...rest } = envelope;
  if (events === undefined && envelope.name !== undefined) {
    const { type, name, parameters, ...bare } = envelope;
    return toSplitRecords(bare, [{ type, name, parameters }], hasDuplicateNames);
  }
  const row = readWarehouseRow(envelope);
  if (row !== null) return toSplitRecords(row.envelope, [row.event], hasDuplicateNames);
  if (isObject(events)) return toSplitRecords(rest, [events], hasDuplicateNames);
  if (!Array.isArray(events)) return [reject('MISSING_ACTION', 'member events is missing')];
  return events.length === 0
    ? [reject('MISSING_ACTION', 'member events is empty')]
    : toSplitRecords(rest, events, hasDuplicateNames);
}

function toSplitRecords(
  envelope: JsonObject,
  events: readonly Json[],
  hasDuplicateNames: boolean,
): (SplitRecord | Rejection)[] {
  // The envelope enters as a digest, so that ten thousand events behind a large envelope do not each hash all of it.
  const digest = sha256Hex(canonicalizeJson(envelope, hasDuplicateNames));
  return events.map((event, index) => {
    if (!isObject(event)) return reject('SCHEMA_VIOLATION', `member events[${index}] is not a JSON object`);
    return { value: { ...envelope, events: event }, content: [digest, event, index], hasDuplicateNames, index };
  });
}
