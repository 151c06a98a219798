import * as events from './events.ts';
import * as input from './input-records.ts';
import { notification } from './notifications.ts';
import { ingestedAt, many, nowMs, requirementPrefixes, testOutcomes } from './outcomes.ts';

const { dayMs, hourMs } = input;
const failed = { decision: 'failed', reason: 'timeout' };
const suppressed = { decision: 'suppressed', reason: 'quietHours' };

const delivered = (sent: number, failures: number) => [
  ...many(sent, (index) => notification(`sent${index}`, nowMs - (index % 2 ? 30 * dayMs : 0))),
  ...many(failures, (index) => notification(`failed${index}`, nowMs - dayMs, failed)),
  notification('suppressed', nowMs - dayMs, suppressed),
  notification('ancient', nowMs - 30 * dayMs - 1, failed),
];

const explained = (count: number, unexplained: number) => [
  ...many(count, (index) =>
    notification(`suppressed${index}`, nowMs - 90 * dayMs, {
      ...suppressed,
      ...(index < unexplained ? { reason: ' ' } : {}),
    }),
  ),
  notification('sent', nowMs - dayMs),
  notification('ancient', nowMs - 90 * dayMs - 1, { ...suppressed, reason: ' ' }),
];

const foundMs = nowMs - 10 * dayMs;
const reachedAfter = (subjectId: string, afterMs: number, more: object = {}) =>
  notification(`${subjectId}.${afterMs}`, foundMs + afterMs, { subjectType: 'detection', subjectId, ...more });

/** Episodes that opened a day before detection; for the last of them no notification was sent in time. */
const escalated = (count: number, late: number) => [
  ingestedAt(
    foundMs,
    ...many(count, (index) => events.episode(`episode${index}`, foundMs - dayMs, null)),
    events.episode('informational', foundMs - dayMs, null, { level: 'informational' }),
  ),
  ...many(count - late, (index) => reachedAfter(`episode${index}`, index % 2 ? hourMs : -hourMs)),
  ...many(late, (index) => reachedAfter(`episode${count - 1 - index}`, hourMs + 1)),
  ...many(late, (index) => reachedAfter(`episode${count - 1 - index}`, 0, suppressed)),
];

testOutcomes(requirementPrefixes.notifications, {
  'ops.notify.delivery': {
    met: { records: delivered(99, 1), counts: { sent: 99, failed: 1, suppressed: 1, failedPct: 1 } },
    at_risk: { records: delivered(19, 1), counts: { sent: 19, failed: 1, suppressed: 1, failedPct: 5 } },
    not_met: { records: delivered(18, 1), counts: { sent: 18, failed: 1, suppressed: 1, failedPct: 5.3 } },
    empty: { records: delivered(0, 0), counts: { sent: 0, failed: 0, suppressed: 1 } },
  },
  'ops.notify.escalation_1h': {
    met: [
      { records: escalated(20, 1), counts: { findings: 20, notified: 19, notifiedPct: 95 } },
      // The episode was notified when it opened, and reached us eleven days later.
      {
        records: [
          notification('early', nowMs - 40 * dayMs, { subjectType: 'detection', subjectId: 'delayed' }),
          ingestedAt(nowMs - 29 * dayMs, events.episode('delayed', nowMs - 40 * dayMs, null)),
        ],
        counts: { findings: 1, notified: 1 },
      },
    ],
    at_risk: { records: escalated(5, 1), counts: { findings: 5, notified: 4, notifiedPct: 80 } },
    not_met: [
      { records: escalated(4, 1), counts: { findings: 4, notified: 3, notifiedPct: 75 } },
      // An alert is found when its provider raises it.
      {
        records: [
          events.alert('alert1', foundMs, null, []),
          events.alert('alert2', foundMs, null, []),
          events.alert('ancient', nowMs - 30 * dayMs - 1, null, []),
          // An hour is not over: it can still be notified in time.
          events.alert('recent', nowMs - hourMs + 1, null, []),
          reachedAfter('alert1', hourMs, { subjectType: 'securityAlert' }),
          reachedAfter('alert2', hourMs + 1, { subjectType: 'securityAlert' }),
          reachedAfter('alert2', -1, { subjectType: 'securityAlert' }),
        ],
        counts: { findings: 2, notified: 1, notifiedPct: 50 },
      },
    ],
    empty: { records: escalated(0, 0), counts: { findings: 0, notified: 0 } },
  },
  'ops.notify.suppression_explained': {
    met: { records: explained(2, 0), counts: { suppressed: 2, withReason: 2, reasonPct: 100 } },
    at_risk: { records: explained(100, 1), counts: { suppressed: 100, withReason: 99, reasonPct: 99 } },
    not_met: { records: explained(99, 1), counts: { suppressed: 99, withReason: 98, reasonPct: 98.9 } },
    empty: { records: explained(0, 0), counts: { suppressed: 0, withReason: 0 } },
  },
});
