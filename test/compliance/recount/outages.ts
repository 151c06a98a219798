import * as events from '../events.ts';
import * as input from '../input-records.ts';
import { notification } from '../notifications.ts';
import { type Chooser, connectedAgeMs, count, nowMs, type Part, send } from './part.ts';

const { dayMs, hourMs } = input;
const outageMs = 4 * hourMs;

/** Silences of the log of more than four hours, and what was sent about them. */
export function createOutages(choose: Chooser): Part {
  // Few arrivals: each silence between two is an outage, or is just none.
  const arrivals: number[] = [];
  for (
    let ageMs = choose.pick([1, 5, 90, 95]) * dayMs + choose.pick([0, hourMs, 3 * outageMs]);
    ageMs >= 0 && arrivals.length < 40;
  ) {
    arrivals.push(ageMs);
    ageMs -= choose.pick([outageMs, outageMs + 1_000, outageMs + 1_000, outageMs - 1_000, hourMs, 8 * dayMs]);
  }
  const startMs = Math.min(90 * dayMs, connectedAgeMs);
  const inPeriod = arrivals.filter((ageMs) => ageMs <= startMs);
  const silences = [startMs, ...inPeriod].map((ageMs, index) => ({ ageMs, endMs: [...inPeriod, 0][index] as number }));
  const outages = silences.filter(({ ageMs, endMs }) => ageMs - endMs > outageMs);
  const notices = outages.flatMap(({ ageMs }) =>
    choose.several([0, 1, 1], () => ({
      ageMs: Math.max(0, ageMs - choose.pick([0, outageMs, outageMs + 1, -1, hourMs])),
      source: choose.pick(['ingestion', 'ingestion', 'policy']),
      decision: choose.pick(['sent', 'sent', 'failed']),
    })),
  );
  const isNoticed = (outage: (typeof outages)[number]) =>
    notices.some(
      ({ ageMs, source, decision }) =>
        source === 'ingestion' && decision === 'sent' && ageMs <= outage.ageMs && ageMs >= outage.ageMs - outageMs,
    );
  return {
    sent: [
      ...arrivals.flatMap((ageMs) => send(ageMs, events.fileEvent('FileAccessed', 'plan', 'anna', nowMs - ageMs))),
      ...notices.flatMap(({ ageMs, source, decision }, index) => {
        const reason = decision === 'sent' ? {} : { reason: 'timeout' };
        return send(ageMs, notification(`n${index}`, nowMs - ageMs, { source, decision, ...reason }));
      }),
    ],
    counts: { 'ops.logs.failure_detected': { outages: outages.length, noticed: count(outages, isNoticed) } },
  };
}
