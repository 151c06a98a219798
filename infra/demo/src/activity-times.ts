import { type Activity, typicalDelayMs } from './activity.ts';
import type { Random } from './random.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The relative activity in each hour of a working day, from midnight; the maximum is 1. */
const hourlyActivity = [
  0.01, 0.01, 0.01, 0.01, 0.01, 0.03, 0.1, 0.35, 0.8, 1, 0.95, 0.85, 0.5, 0.8, 0.95, 0.9, 0.7, 0.4, 0.15, 0.1, 0.08,
  0.06, 0.03, 0.02,
] as const;
const weekendShare = 0.12;

/** Chooses a time in [fromMs, toMs), with the likelihood of the activity's schedule. */
export function chooseTime(
  activity: Activity,
  random: Random,
  span: { fromMs: number; toMs: number; utcOffsetHours: number },
): number {
  for (;;) {
    const atMs = span.fromMs + Math.floor(random.next() * (span.toMs - span.fromMs));
    if (activity.schedule === 'any hour' || random.bool(likelihood(atMs + span.utcOffsetHours * hourMs))) return atMs;
  }
}

/** Chooses when the provider delivers the record: the delay is exponentially distributed around the typical delay. */
export function chooseArrivalTime(activity: Pick<Activity, 'delay'>, random: Random, occurredAtMs: number): number {
  return occurredAtMs - Math.log(1 - random.next()) * typicalDelayMs[activity.delay];
}

/** Finds the last working day at least `days` days before, at an hour and minute of local time. */
export function findWorkingDayBefore(
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
  return (hourlyActivity[local.getUTCHours()] ?? 0) * (isWeekend ? weekendShare : 1);
}
