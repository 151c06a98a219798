import { sha256Hex } from '../activity/log-id.ts';
import { canonicalizeJson } from '../json/canonical.ts';
import { sliceElements, sliceMember } from '../json/slice.ts';
import { isObject, type Json, type JsonObject } from '../json/value.ts';
import { type Rejection, reject } from '../message/rejection.ts';
import { type SourceText, toSource } from '../message/source-text.ts';
import type { SplitRecord } from '../message/split-records.ts';
import { readWarehouseRow } from './warehouse.ts';

/**
 * Splits an envelope into one record per event. An event is identified by the envelope without its events and its `etag`,
 * the event and its position. Google documents an `etag` as the version of a response, not as a part of the event: what
 * stands before its slash differs between releases of the API, so that an event that is listed again may have another one. Collectors also send the envelope already split, with `events` as one object, or, from a warehouse, with the
 * event's members among the envelope's: these contain one event, at position 0.
 */
export function splitEvents(
  envelope: JsonObject,
  hasDuplicateNames: boolean,
  text: Buffer,
): readonly (SplitRecord | Rejection)[] {
  const { events, ...rest } = envelope;
  if (events === undefined && envelope.name !== undefined) {
    const { type, name, parameters, ...bare } = envelope;
    return toSplitRecords(bare, [{ type, name, parameters }], hasDuplicateNames, [toSource(text)]);
  }
  const row = readWarehouseRow(envelope);
  if (row !== null) {
    const records = toSplitRecords(row.envelope, [row.event], hasDuplicateNames, [toSource(text)]);
    // Only the record as received has the replaced members of duplicate names.
    return hasDuplicateNames
      ? records.map((each) => ('value' in each ? { ...each, content: envelope } : each))
      : records;
  }
  if (isObject(events)) return toSplitRecords(rest, [events], hasDuplicateNames, [toSource(text)]);
  if (!Array.isArray(events)) return [reject('MISSING_ACTION', 'member events is missing')];
  if (events.length === 0) return [reject('MISSING_ACTION', 'member events is empty')];
  // Nearly all envelopes have one event: their text is not searched for it.
  const sources = events.length === 1 ? [toSource(text)] : sliceEvents(text);
  return toSplitRecords(rest, events, hasDuplicateNames, sources);
}

function toSplitRecords(
  envelope: JsonObject,
  events: readonly Json[],
  hasDuplicateNames: boolean,
  sources: readonly SourceText[],
): (SplitRecord | Rejection)[] {
  const { etag: _, ...identity } = envelope;
  // The envelope enters as a digest, so that ten thousand events behind a large envelope do not each hash all of it.
  const digest = sha256Hex(canonicalizeJson(identity, hasDuplicateNames));
  return events.map((event, index) => {
    if (!isObject(event)) return reject('SCHEMA_VIOLATION', `member events[${index}] is not a JSON object`);
    const source = sources[index] as SourceText;
    const value = { ...envelope, events: event };
    return { value, content: [digest, event, index], hasDuplicateNames, index, source, isVerbatim: false };
  });
}

/** For each event the envelope with that event alone, in the place of them all. */
function sliceEvents(envelope: Buffer): SourceText[] {
  const events = sliceMember(envelope, 'events') as Buffer;
  const texts = sliceElements(events);
  const from = events.byteOffset - envelope.byteOffset;
  const frame = {
    before: Buffer.concat([envelope.subarray(0, from), openBracket]),
    after: Buffer.concat([closeBracket, envelope.subarray(from + events.length)]),
  };
  return texts.map((text) => ({ text, frame }));
}

const openBracket = Buffer.from('[');
const closeBracket = Buffer.from(']');
