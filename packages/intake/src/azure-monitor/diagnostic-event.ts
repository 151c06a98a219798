import { type Activity, type Actor, noResource } from '../activity/activity.ts';
import { type EventContext, noContext } from '../activity/event-context.ts';
import { readActionResult, toOutcome } from '../field/action-result.ts';
import { firstAddress } from '../field/address.ts';
import { toEpochMs } from '../field/time.ts';
import { firstText, type Json, toInteger, toText } from '../json/value.ts';
import type { LogFrame } from './log-frame.ts';

/** An activity with what the frame alone says; a mapper replaces what the record says better. */
export function createActivity(
  frame: LogFrame,
  fields: Partial<Omit<Activity, 'context'>>,
  context: Partial<EventContext>,
): Activity {
  return {
    time: frame.time,
    timeMember: 'time',
    action: firstText(frame.action) ?? frame.category,
    verdict: null,
    outcome: toOutcome(readActionResult(toText(frame.resultType))),
    actor: unknownActor,
    actorIp: firstAddress(frame.address),
    resource: noResource,
    workload: null,
    sourceType: 'entra',
    sourceName: frame.sourceName,
    clientApp: null,
    device: { id: null, name: null, isManaged: null },
    application: { clientId: null, displayName: null },
    externalEventId: null,
    recordType: null,
    ...fields,
    context: {
      ...noContext,
      category: frame.category,
      outcomeReason: firstText(frame.resultDescription),
      correlationId: toText(frame.correlationId),
      ...context,
    },
  };
}

/** The record's own time if it can be read, else that of the frame. */
export function pickTime(
  member: string,
  value: Json | undefined,
  frame: LogFrame,
): Pick<Activity, 'time' | 'timeMember'> {
  if (frame.time === undefined || frame.time === null || toEpochMs(value) !== null) {
    return { time: value, timeMember: member };
  }
  return { time: frame.time, timeMember: 'time' };
}

/** A numeric code other than 0. Results in words are no codes. */
export function readFailureCode(value: Json | undefined): string | null {
  const code = toInteger(value);
  return code === null || code === 0 ? null : toText(value);
}

export const unknownActor: Actor = { id: null, name: null, type: 'unknown' };
