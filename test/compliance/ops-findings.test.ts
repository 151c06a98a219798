import * as happened from './happened.ts';
import { many, nowMs, prefixesOf, tellAt, testOutcomes } from './outcomes.ts';
import * as said from './said.ts';

const { dayMs, hourMs } = said;

const alert = (id: string, createdMs: number, more: object = {}): said.Saying => ({
  topic: 'rawAlert',
  record: {
    id,
    title: 'Something is wrong',
    category: 'Malware',
    severity: 'high',
    status: 'new',
    createdDateTime: said.at(createdMs),
    lastUpdateDateTime: said.at(createdMs),
    firstActivityDateTime: said.at(createdMs - hourMs),
    ...more,
  },
});
const inProgress = (id: string, createdMs: number, changedMs: number) =>
  alert(id, createdMs, { status: 'inProgress', lastUpdateDateTime: said.at(changedMs) });
const resolved = (id: string, createdMs: number, afterMs: number) =>
  alert(id, createdMs, {
    status: 'resolved',
    lastUpdateDateTime: said.at(createdMs + afterMs),
    resolvedDateTime: said.at(createdMs + afterMs),
  });

/** So many alerts of one day, of which the last were taken up a millisecond too late; beside them such as count nowhere. */
const triaged = (count: number, late: number) => {
  const createdMs = nowMs - 10 * dayMs;
  const inTime = count - late;
  return [
    ...bystanders,
    tellAt(createdMs, ...many(count, (index) => alert(`alert${index}`, createdMs))),
    tellAt(createdMs + dayMs, ...many(inTime, (index) => inProgress(`alert${index}`, createdMs, createdMs + dayMs))),
    tellAt(
      createdMs + dayMs + 1,
      ...many(late, (index) => inProgress(`alert${inTime + index}`, createdMs, createdMs + dayMs + 1)),
    ),
  ];
};
const bystanders = [
  alert('before.the.window', nowMs - 60 * dayMs - 1, { status: 'resolved' }),
  alert('medium', nowMs - 10 * dayMs, { severity: 'medium' }),
  resolved('today', nowMs - dayMs + 1, hourMs),
];
/** Texts that would be taken for a time by whoever looks for one carelessly, and one that is no text for the database. */
const misleading = (createdMs: number) => ({
  description: `","resolvedDateTime":"${said.at(createdMs)}","rawData":{"x":"`,
  additionalData: { resolvedDateTime: said.at(createdMs), note: '\u0000\ud800' },
});
/** So many alerts, of which some were closed a millisecond too late, and one is closed since nobody knows when. */
const closed = (count: number, late: number) => [
  ...bystanders,
  ...many(count, (index) => {
    const createdMs = index % 2 ? nowMs - 60 * dayMs : nowMs - 7 * dayMs - 1;
    if (index === 0 && late > 0) return alert('alert0', createdMs, { status: 'resolved', ...misleading(createdMs) });
    return resolved(`alert${index}`, createdMs, index < late ? 7 * dayMs + 1 : 7 * dayMs);
  }),
];
const lying = (count: number) =>
  many(count, (index) =>
    index % 2
      ? inProgress(`old${index}`, nowMs - 7 * dayMs - 1, nowMs - dayMs)
      : alert(`old${index}`, nowMs - 7 * dayMs - 1, { status: 'unknown' }),
  );

const episodes = (count: number, late: number) => [
  ...many(count, (index) => {
    const openedMs = index % 2 ? nowMs - 60 * dayMs : nowMs - 7 * dayMs;
    const hours = index >= late ? 7 * 24 : index % 2 ? 7 * 24 + 0.001 : null;
    return happened.episode(`episode${index}`, openedMs, hours, { status: index % 3 ? 'resolved' : 'dismissed' });
  }),
  happened.episode('fresh', nowMs - 7 * dayMs + 1, null),
  happened.episode('ancient', nowMs - 60 * dayMs - 1, null),
  happened.episode('informational', nowMs - 10 * dayMs, null, { level: 'informational' }),
];

const detectors = (count: number, idle: number) => [
  ...many(count, (index) =>
    said.detector(`detector${index}`, {
      lastRunAt:
        index >= idle
          ? said.at(index % 3 ? nowMs - dayMs : nowMs + hourMs)
          : index % 2
            ? null
            : said.at(nowMs - dayMs - 1),
    }),
  ),
  said.detector('disabled', { enabled: false }),
];

/** So many findings, the first half of them episodes; alerts that lack something come last. */
const findings = (count: number, incomplete: number) => [
  ...many(count / 2, (index) => happened.episode(`episode${index}`, nowMs - 90 * dayMs, null)),
  ...many(count / 2, (index) => {
    const lacks = index < incomplete ? [{ category: null }, { firstActivityDateTime: null }][index % 2] : {};
    return alert(`alert${index}`, nowMs - index * hourMs, { severity: 'low', ...lacks });
  }),
  happened.episode('informational', nowMs - dayMs, null, { level: 'informational' }),
  alert('ancient', nowMs - 90 * dayMs - 1, { category: null }),
];

testOutcomes(prefixesOf.findings, {
  'ops.alerts.triage_24h': {
    met: [
      { told: triaged(10, 1), counts: { highAlerts: 10, triaged: 9, triagedPct: 90 } },
      // Told only now, and taken up in time by its own account.
      {
        told: [
          resolved('resolved', nowMs - 20 * dayMs, dayMs),
          inProgress('taken.up', nowMs - 20 * dayMs, nowMs - 20 * dayMs + hourMs),
        ],
        counts: { highAlerts: 2, triaged: 2, triagedPct: 100 },
      },
    ],
    at_risk: { told: triaged(10, 3), counts: { highAlerts: 10, triaged: 7, triagedPct: 70 } },
    not_met: [
      { told: triaged(10, 4), counts: { highAlerts: 10, triaged: 6, triagedPct: 60 } },
      // At the edges of the window, and never looked at.
      {
        told: [alert('a', nowMs - 30 * dayMs), alert('b', nowMs - dayMs)],
        counts: { highAlerts: 2, triaged: 0, triagedPct: 0 },
      },
    ],
    empty: {
      told: [...bystanders, alert('a', nowMs - 30 * dayMs - 1), alert('b', nowMs - dayMs + 1)],
      counts: { highAlerts: 0, triaged: 0 },
    },
  },
  'ops.alerts.resolution_7d': {
    met: { told: closed(10, 1), counts: { highAlerts: 10, resolved: 9, resolvedPct: 90 } },
    at_risk: { told: closed(10, 3), counts: { highAlerts: 10, resolved: 7, resolvedPct: 70 } },
    not_met: { told: closed(10, 4), counts: { highAlerts: 10, resolved: 6, resolvedPct: 60 } },
    empty: {
      told: [...bystanders, alert('young', nowMs - 7 * dayMs + 1)],
      counts: { highAlerts: 0, resolved: 0 },
    },
  },
  'ops.alerts.backlog': {
    met: {
      told: [...bystanders, alert('young', nowMs - 7 * dayMs)],
      counts: { openHigh: 1, older7d: 0 },
    },
    at_risk: { told: [...bystanders, ...lying(3)], counts: { openHigh: 3, older7d: 3 } },
    not_met: { told: lying(4), counts: { openHigh: 4, older7d: 4 } },
    empty: { told: bystanders, counts: { openHigh: 0, older7d: 0 } },
  },
  'ops.detections.resolution': {
    met: { told: episodes(20, 3), counts: { episodes: 20, resolved: 17, resolvedPct: 85 } },
    at_risk: { told: episodes(20, 7), counts: { episodes: 20, resolved: 13, resolvedPct: 65 } },
    not_met: { told: episodes(20, 8), counts: { episodes: 20, resolved: 12, resolvedPct: 60 } },
    empty: { told: episodes(0, 0), counts: { episodes: 0, resolved: 0 } },
  },
  'ops.detectors.running': {
    met: { told: detectors(2, 0), counts: { detectors: 2, ran24h: 2, ranPct: 100 } },
    at_risk: { told: detectors(10, 1), counts: { detectors: 10, ran24h: 9, ranPct: 90 } },
    not_met: { told: detectors(19, 2), counts: { detectors: 19, ran24h: 17, ranPct: 89.4 } },
    empty: { told: detectors(0, 0), counts: { detectors: 0, ran24h: 0 } },
  },
  'ops.incident.timeline_recorded': {
    met: { told: findings(4, 0), counts: { findings: 4, complete: 4, completePct: 100 } },
    at_risk: { told: findings(100, 2), counts: { findings: 100, complete: 98, completePct: 98 } },
    not_met: { told: findings(60, 2), counts: { findings: 60, complete: 58, completePct: 96.6 } },
    empty: { told: findings(0, 0), counts: { findings: 0, complete: 0 } },
  },
});
