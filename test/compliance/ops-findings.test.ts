import * as events from './events.ts';
import * as input from './input-records.ts';
import { ingestedAt, many, nowMs, requirementPrefixes, testOutcomes } from './outcomes.ts';

const { dayMs, hourMs } = input;

const alert = (id: string, createdMs: number, more: object = {}): input.InputRecord => ({
  topic: 'rawAlert',
  record: {
    id,
    title: 'Something is wrong',
    category: 'Malware',
    severity: 'high',
    status: 'new',
    createdDateTime: input.at(createdMs),
    lastUpdateDateTime: input.at(createdMs),
    firstActivityDateTime: input.at(createdMs - hourMs),
    ...more,
  },
});
const inProgress = (id: string, createdMs: number, changedMs: number) =>
  alert(id, createdMs, { status: 'inProgress', lastUpdateDateTime: input.at(changedMs) });
const resolved = (id: string, createdMs: number, afterMs: number) =>
  alert(id, createdMs, {
    status: 'resolved',
    lastUpdateDateTime: input.at(createdMs + afterMs),
    resolvedDateTime: input.at(createdMs + afterMs),
  });

/** Alerts of one day, the last ones triaged a millisecond too late; plus alerts that are not counted. */
const triaged = (count: number, late: number) => {
  const createdMs = nowMs - 10 * dayMs;
  const inTime = count - late;
  return [
    ...uncounted,
    ingestedAt(createdMs, ...many(count, (index) => alert(`alert${index}`, createdMs))),
    ingestedAt(
      createdMs + dayMs,
      ...many(inTime, (index) => inProgress(`alert${index}`, createdMs, createdMs + dayMs)),
    ),
    ingestedAt(
      createdMs + dayMs + 1,
      ...many(late, (index) => inProgress(`alert${inTime + index}`, createdMs, createdMs + dayMs + 1)),
    ),
  ];
};
const uncounted = [
  alert('before.the.window', nowMs - 60 * dayMs - 1, { status: 'resolved' }),
  alert('medium', nowMs - 10 * dayMs, { severity: 'medium' }),
  resolved('today', nowMs - dayMs + 1, hourMs),
];
/** Texts that careless parsing would accept as times, and one that the database cannot store. */
const misleading = (createdMs: number) => ({
  description: `","resolvedDateTime":"${input.at(createdMs)}","rawData":{"x":"`,
  additionalData: { resolvedDateTime: input.at(createdMs), note: '\u0000\ud800' },
});
/** Alerts; some were closed a millisecond too late, and one has no closing time. */
const closed = (count: number, late: number) => [
  ...uncounted,
  ...many(count, (index) => {
    const createdMs = index % 2 ? nowMs - 60 * dayMs : nowMs - 7 * dayMs - 1;
    if (index === 0 && late > 0) return alert('alert0', createdMs, { status: 'resolved', ...misleading(createdMs) });
    return resolved(`alert${index}`, createdMs, index < late ? 7 * dayMs + 1 : 7 * dayMs);
  }),
];
const older = (count: number) =>
  many(count, (index) =>
    index % 2
      ? inProgress(`old${index}`, nowMs - 7 * dayMs - 1, nowMs - dayMs)
      : alert(`old${index}`, nowMs - 7 * dayMs - 1, { status: 'unknown' }),
  );

const episodes = (count: number, late: number) => [
  ...many(count, (index) => {
    const openedMs = index % 2 ? nowMs - 60 * dayMs : nowMs - 7 * dayMs;
    const hours = index >= late ? 7 * 24 : index % 2 ? 7 * 24 + 0.001 : null;
    return events.episode(`episode${index}`, openedMs, hours, { status: index % 3 ? 'resolved' : 'dismissed' });
  }),
  events.episode('fresh', nowMs - 7 * dayMs + 1, null),
  events.episode('ancient', nowMs - 60 * dayMs - 1, null),
  events.episode('informational', nowMs - 10 * dayMs, null, { level: 'informational' }),
];

const detectors = (count: number, idle: number) => [
  ...many(count, (index) =>
    input.detector(`detector${index}`, {
      lastRunAt:
        index >= idle
          ? input.at(index % 3 ? nowMs - dayMs : nowMs + hourMs)
          : index % 2
            ? null
            : input.at(nowMs - dayMs - 1),
    }),
  ),
  input.detector('disabled', { enabled: false }),
];

/** Findings, the first half of them episodes; incomplete alerts come last. */
const findings = (count: number, incomplete: number) => [
  ...many(count / 2, (index) => events.episode(`episode${index}`, nowMs - 90 * dayMs, null)),
  ...many(count / 2, (index) => {
    const lacks = index < incomplete ? [{ category: null }, { firstActivityDateTime: null }][index % 2] : {};
    return alert(`alert${index}`, nowMs - index * hourMs, { severity: 'low', ...lacks });
  }),
  events.episode('informational', nowMs - dayMs, null, { level: 'informational' }),
  alert('ancient', nowMs - 90 * dayMs - 1, { category: null }),
];

testOutcomes(requirementPrefixes.findings, {
  'ops.alerts.triage_24h': {
    met: [
      { records: triaged(10, 1), counts: { highAlerts: 10, triaged: 9, triagedPct: 90 } },
      // Reported only now, and triaged in time according to its own timestamps.
      {
        records: [
          resolved('resolved', nowMs - 20 * dayMs, dayMs),
          inProgress('taken.up', nowMs - 20 * dayMs, nowMs - 20 * dayMs + hourMs),
        ],
        counts: { highAlerts: 2, triaged: 2, triagedPct: 100 },
      },
    ],
    at_risk: { records: triaged(10, 3), counts: { highAlerts: 10, triaged: 7, triagedPct: 70 } },
    not_met: [
      { records: triaged(10, 4), counts: { highAlerts: 10, triaged: 6, triagedPct: 60 } },
      // At the edges of the window and never triaged.
      {
        records: [alert('a', nowMs - 30 * dayMs), alert('b', nowMs - dayMs)],
        counts: { highAlerts: 2, triaged: 0, triagedPct: 0 },
      },
    ],
    empty: {
      records: [...uncounted, alert('a', nowMs - 30 * dayMs - 1), alert('b', nowMs - dayMs + 1)],
      counts: { highAlerts: 0, triaged: 0 },
    },
  },
  'ops.alerts.resolution_7d': {
    met: { records: closed(10, 1), counts: { highAlerts: 10, resolved: 9, resolvedPct: 90 } },
    at_risk: { records: closed(10, 3), counts: { highAlerts: 10, resolved: 7, resolvedPct: 70 } },
    not_met: { records: closed(10, 4), counts: { highAlerts: 10, resolved: 6, resolvedPct: 60 } },
    empty: {
      records: [...uncounted, alert('young', nowMs - 7 * dayMs + 1)],
      counts: { highAlerts: 0, resolved: 0 },
    },
  },
  'ops.alerts.backlog': {
    met: {
      records: [...uncounted, alert('young', nowMs - 7 * dayMs)],
      counts: { openHigh: 1, older7d: 0 },
    },
    at_risk: { records: [...uncounted, ...older(3)], counts: { openHigh: 3, older7d: 3 } },
    not_met: { records: older(4), counts: { openHigh: 4, older7d: 4 } },
    empty: { records: uncounted, counts: { openHigh: 0, older7d: 0 } },
  },
  'ops.detections.resolution': {
    met: { records: episodes(20, 3), counts: { episodes: 20, resolved: 17, resolvedPct: 85 } },
    at_risk: { records: episodes(20, 7), counts: { episodes: 20, resolved: 13, resolvedPct: 65 } },
    not_met: { records: episodes(20, 8), counts: { episodes: 20, resolved: 12, resolvedPct: 60 } },
    empty: { records: episodes(0, 0), counts: { episodes: 0, resolved: 0 } },
  },
  'ops.detectors.running': {
    met: { records: detectors(2, 0), counts: { detectors: 2, ran24h: 2, ranPct: 100 } },
    at_risk: { records: detectors(10, 1), counts: { detectors: 10, ran24h: 9, ranPct: 90 } },
    not_met: { records: detectors(19, 2), counts: { detectors: 19, ran24h: 17, ranPct: 89.4 } },
    empty: { records: detectors(0, 0), counts: { detectors: 0, ran24h: 0 } },
  },
  'ops.incident.timeline_recorded': {
    met: { records: findings(4, 0), counts: { findings: 4, complete: 4, completePct: 100 } },
    at_risk: { records: findings(100, 2), counts: { findings: 100, complete: 98, completePct: 98 } },
    not_met: { records: findings(60, 2), counts: { findings: 60, complete: 58, completePct: 96.6 } },
    empty: { records: findings(0, 0), counts: { findings: 0, complete: 0 } },
  },
});
