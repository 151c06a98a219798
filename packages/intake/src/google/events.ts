import { isObject, type JsonObject } from '../json/value.ts';
import { type Rejection, reject } from '../rejection.ts';
import type { Part } from '../split.ts';

/**
 * One part for each event of an envelope. What makes an event itself is the envelope without its events, the event and its
 * position. Collectors also send the envelope already split, with `events` one object, or, from a warehouse, with the
 * event's members beside the envelope's: both hold the event that they were given, at position 0.
 */
export function explodeEvents(envelope: JsonObject, lossless: boolean): readonly (Part | Rejection)[] {
  const { events, ...rest } = envelope;
  if (events === undefined && envelope.name !== undefined) {
    const { type, name, parameters, ...bare } = envelope;
    return [part(bare, { type, name, parameters }, 0, lossless)];
  }
  if (!Array.isArray(events)) {
    return [isObject(events) ? part(rest, events, 0, lossless) : reject('MISSING_ACTION', 'member events is missing')];
  }
  if (events.length === 0) return [reject('MISSING_ACTION', 'member events is empty')];
  return events.map((event, index) =>
    isObject(event)
      ? part(rest, event, index, lossless)
      : reject('SCHEMA_VIOLATION', `member events[${index}] is no JSON object`),
  );
}

function part(envelope: JsonObject, event: JsonObject, index: number, lossless: boolean): Part {
  return { record: { ...envelope, events: event }, content: [envelope, event, index], lossless, index };
}
