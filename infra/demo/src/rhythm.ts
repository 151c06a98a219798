import type { Chance } from './chance.ts';
import { type Activity, typicalDelayMs } from './scene.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** How busy an hour of a working day is, from midnight on; the busiest is 1. */
const busyness = [
  0.01, 0.01, 0.01, 0.01, 0.01, 0.03, 0.1, 0.35, 0.8, 1, 0.95, 0.85, 0.5, 0.8, 0.95, 0.9, 0.7, 0.4, 0.15, 0.1, 0.08,
  0.06, 0.03, 0.02,
] as const;
const weekendShare = 0.12;

/** A moment in [fromMs, toMs) at which such an activity is as likely as its rhythm has it. */
export function momentOf(
  activity: Activity,
  chance: Chance,
  span: { fromMs: number; toMs: number; utcOffsetHours: number },
): number {
  for (;;) {
    const atMs = span.fromMs + Math.floor(chance.next() * (span.toMs - span.fromMs));
    if (activity.rhythm === 'any hour' || chance.is(likelihood(atMs + span.utcOffsetHours * hourMs))) return atMs;
  }
}

/** When the provider hands the record over: most soon after the typical delay's fraction, some much later. */
export function arrivalOf(activity: Pick<Activity, 'delay'>, chance: Chance, occurredAtMs: number): number {
  return occurredAtMs - Math.log(1 - chance.next()) * typicalDelayMs[activity.delay];
}

/** The last working day that ended at least `days` days before, at an hour and minute of local time. */
export function workingDayBefore(
  endMs: number,
  days: number,
  hour: number,
  minute: number,
  utcOffsetHours: number,
): number {
  const midnight = Math.floor((endMs + utcOffsetHours * hourMs) / dayMs) * dayMs - days * dayMs;
  const monday = [-2, 0, 0, 0, 0, 0, -1][new Date(midnight).getUTCDay()] ?? 0;
  return midnight + monday * dayMs + hour * hourMs + minute * 60_000 - utcOffsetHours * hourMs;
}

function likelihood(localMs: number): number {
  const local = new Date(localMs);
  const isWeekend = local.getUTCDay() % 6 === 0;
  return (busyness[local.getUTCHours()] ?? 0) * (isWeekend ? weekendShare : 1);
}
