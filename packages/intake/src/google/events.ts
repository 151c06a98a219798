import { digestOf } from '../identity.ts';
import { canonicalText } from '../json/canonical.ts';
import { isObject, type Json, type JsonObject } from '../json/value.ts';
import { type Rejection, reject } from '../rejection.ts';
import type { Part } from '../split.ts';

/**
 * One part for each event of an envelope. What makes an event itself is the envelope without its events, the event and its
 * position. Collectors also send the envelope already split, with `events` one object, or, from a warehouse, with the
 * event's members beside the envelope's: both hold the event that they were given, at position 0.
 */
export function explodeEvents(envelope: JsonObject, repeatsNames: boolean): readonly (Part | Rejection)[] {
  const { events, ...rest } = envelope;
  if (events === undefined && envelope.name !== undefined) {
    const { type, name, parameters, ...bare } = envelope;
    return partsOf(bare, [{ type, name, parameters }], repeatsNames);
  }
  if (isObject(events)) return partsOf(rest, [events], repeatsNames);
  if (!Array.isArray(events)) return [reject('MISSING_ACTION', 'member events is missing')];
  return events.length === 0
    ? [reject('MISSING_ACTION', 'member events is empty')]
    : partsOf(rest, events, repeatsNames);
}

function partsOf(envelope: JsonObject, events: readonly Json[], repeatsNames: boolean): (Part | Rejection)[] {
  // The envelope enters as a digest, so that ten thousand events behind a large envelope do not each hash all of it.
  const digest = digestOf(canonicalText(envelope, repeatsNames));
  return events.map((event, index) => {
    if (!isObject(event)) return reject('SCHEMA_VIOLATION', `member events[${index}] is no JSON object`);
    return { record: { ...envelope, events: event }, content: [digest, event, index], repeatsNames, index };
  });
}
