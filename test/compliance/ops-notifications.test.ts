import * as happened from './happened.ts';
import { notification } from './notified.ts';
import { many, nowMs, prefixesOf, tellAt, testOutcomes } from './outcomes.ts';
import * as said from './said.ts';

const { dayMs, hourMs } = said;
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

/** So many episodes that opened a day before anybody could know; the last of them nobody was told of in time. */
const escalated = (count: number, late: number) => [
  tellAt(
    foundMs,
    ...many(count, (index) => happened.episode(`episode${index}`, foundMs - dayMs, null)),
    happened.episode('informational', foundMs - dayMs, null, { level: 'informational' }),
  ),
  ...many(count - late, (index) => reachedAfter(`episode${index}`, index % 2 ? hourMs : -hourMs)),
  ...many(late, (index) => reachedAfter(`episode${count - 1 - index}`, hourMs + 1)),
  ...many(late, (index) => reachedAfter(`episode${count - 1 - index}`, 0, suppressed)),
];

testOutcomes(prefixesOf.notifications, {
  'ops.notify.delivery': {
    met: { told: delivered(99, 1), counts: { sent: 99, failed: 1, suppressed: 1, failedPct: 1 } },
    at_risk: { told: delivered(19, 1), counts: { sent: 19, failed: 1, suppressed: 1, failedPct: 5 } },
    not_met: { told: delivered(18, 1), counts: { sent: 18, failed: 1, suppressed: 1, failedPct: 5.3 } },
    empty: { told: delivered(0, 0), counts: { sent: 0, failed: 0, suppressed: 1 } },
  },
  'ops.notify.escalation_1h': {
    met: { told: escalated(20, 1), counts: { findings: 20, notified: 19, notifiedPct: 95 } },
    at_risk: { told: escalated(5, 1), counts: { findings: 5, notified: 4, notifiedPct: 80 } },
    not_met: [
      { told: escalated(4, 1), counts: { findings: 4, notified: 3, notifiedPct: 75 } },
      // An alert is found when its provider raises it.
      {
        told: [
          happened.alert('alert1', foundMs, null, []),
          happened.alert('alert2', foundMs, null, []),
          happened.alert('ancient', nowMs - 30 * dayMs - 1, null, []),
          reachedAfter('alert1', hourMs, { subjectType: 'securityAlert' }),
          reachedAfter('alert2', hourMs + 1, { subjectType: 'securityAlert' }),
          reachedAfter('alert2', -1, { subjectType: 'securityAlert' }),
        ],
        counts: { findings: 2, notified: 1, notifiedPct: 50 },
      },
    ],
    empty: { told: escalated(0, 0), counts: { findings: 0, notified: 0 } },
  },
  'ops.notify.suppression_explained': {
    met: { told: explained(2, 0), counts: { suppressed: 2, withReason: 2, reasonPct: 100 } },
    at_risk: { told: explained(100, 1), counts: { suppressed: 100, withReason: 99, reasonPct: 99 } },
    not_met: { told: explained(99, 1), counts: { suppressed: 99, withReason: 98, reasonPct: 98.9 } },
    empty: { told: explained(0, 0), counts: { suppressed: 0, withReason: 0 } },
  },
});
