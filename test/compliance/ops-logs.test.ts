import { randomUUID } from 'node:crypto';
import * as events from './events.ts';
import * as input from './input-records.ts';
import { notification } from './notifications.ts';
import { ingestedAt, many, nowMs, requirementPrefixes, testOutcomes } from './outcomes.ts';

const { dayMs, hourMs } = input;
const minuteMs = 60_000;

const event = (occurredMs: number, workload = 'SharePoint') =>
  events.fileEvent('FileAccessed', randomUUID(), 'anna', occurredMs, { Workload: workload });

/** Events discovered at the edge of the window, each with this delay. */
const late = (count: number, lagMs: number) =>
  ingestedAt(nowMs - 7 * dayMs, ...many(count, () => event(nowMs - 7 * dayMs - lagMs)));
const outdated = ingestedAt(nowMs - 7 * dayMs - 1, event(nowMs - 100 * dayMs));

const bought = [
  input.license('SPE_E5', {
    consumedUnits: 1,
    capabilityStatus: 'enabled',
    servicePlans: [
      'EXCHANGE_S_ENTERPRISE',
      'SHAREPOINTENTERPRISE',
      'TEAMS1',
      'AAD_PREMIUM_P2',
      'YAMMER_ENTERPRISE',
    ].map((name) => ({ id: name, name, provisioningStatus: 'success' })),
  }),
  // Unassigned and expired licenses require no source.
  input.license('Microsoft_365_Copilot', { consumedUnits: 0 }),
  input.license('POWER_BI_PRO', { consumedUnits: 5, capabilityStatus: 'suspended' }),
];
const from = (...workloads: readonly string[]) => [
  ...workloads.map((workload) => event(nowMs - 7 * dayMs, workload)),
  event(nowMs - 7 * dayMs - 1_000, 'MicrosoftTeams'),
];

/** Events at these hours before now, of a tenant connected at the first of them. */
const eventsAt = (...hoursAgo: readonly number[]) =>
  hoursAgo.map((hours) => ingestedAt(nowMs - hours * hourMs, event(nowMs - hours * hourMs)));
const facts = (hoursAgo: number, more: object = {}) =>
  notification(`notified.${hoursAgo}.${Object.values(more).join('.')}`, nowMs - hoursAgo * hourMs, {
    source: 'ingestion',
    ...more,
  });
const connected = (hoursAgo: number) => ({ connectedMs: nowMs - hoursAgo * hourMs });

testOutcomes(requirementPrefixes.logs, {
  'ops.logs.ingestion_lag': {
    met: {
      records: [outdated, late(20, 360 * minuteMs)],
      counts: { events: 20, p95LagMinutes: 360, p50LagMinutes: 360 },
    },
    at_risk: [
      { records: [late(1, 1_440 * minuteMs)], counts: { events: 1, p95LagMinutes: 1_440, p50LagMinutes: 1_440 } },
      // Between the 19th and the 20th of twenty values, at a twentieth of the way.
      {
        records: [late(19, 10 * minuteMs), late(1, 10 * dayMs)],
        counts: { events: 20, p95LagMinutes: 730, p50LagMinutes: 10 },
      },
      // A time ahead of the server clock counts as no delay.
      {
        records: [late(1, 1_440 * minuteMs), late(1, -hourMs)],
        counts: { events: 2, p95LagMinutes: 1_368, p50LagMinutes: 720 },
      },
      { records: [late(1, 360 * minuteMs + 1_000)], counts: { events: 1, p95LagMinutes: 361, p50LagMinutes: 361 } },
    ],
    not_met: {
      records: [late(1, 1_440 * minuteMs + 1_000)],
      counts: { events: 1, p95LagMinutes: 1_441, p50LagMinutes: 1_441 },
    },
    empty: { records: [outdated], counts: { events: 0, p95LagMinutes: null, p50LagMinutes: null } },
  },
  'ops.logs.workload_coverage': {
    met: {
      records: [...bought, ...from('Exchange', 'SharePoint', 'OneDrive', 'MicrosoftTeams', 'AzureActiveDirectory')],
      counts: { expectedWorkloads: 5, seenWorkloads: 5, missingWorkloads: 0, coveragePct: 100 },
    },
    at_risk: {
      records: [...bought, ...from('Exchange', 'SharePoint', 'OneDrive', 'AzureActiveDirectory', 'Copilot')],
      counts: { expectedWorkloads: 5, seenWorkloads: 4, missingWorkloads: 1, coveragePct: 80 },
    },
    not_met: {
      records: [...bought, ...from('Exchange', 'SharePoint', 'OneDrive')],
      counts: { expectedWorkloads: 5, seenWorkloads: 3, missingWorkloads: 2, coveragePct: 60 },
    },
    empty: {
      records: [...bought.slice(1), ...from('Exchange')],
      counts: { expectedWorkloads: 0, seenWorkloads: 0, missingWorkloads: 0 },
    },
  },
  'ops.logs.failure_detected': {
    met: {
      ...connected(20),
      records: [...eventsAt(16, 10, 6, 2), facts(12)],
      counts: { outages: 1, noticed: 1, noticedPct: 100 },
    },
    // Silent since the connection.
    at_risk: {
      ...connected(25),
      records: [...eventsAt(20, 15, 10, 5), facts(25), facts(20), facts(15), facts(6)],
      counts: { outages: 5, noticed: 4, noticedPct: 80 },
    },
    not_met: [
      {
        ...connected(10),
        records: [
          ...eventsAt(9, 4),
          facts(5 - 1 / 3_600_000),
          facts(9 + 1 / 3_600_000),
          facts(8, { decision: 'suppressed', reason: 'cooldown' }),
          facts(8, { source: 'anomaly' }),
        ],
        counts: { outages: 1, noticed: 0, noticedPct: 0 },
      },
      // The window starts in an outage; nothing before it counts.
      {
        records: [...eventsAt(100 * 24, 89 * 24), facts(90 * 24)],
        counts: { outages: 2, noticed: 1, noticedPct: 50 },
      },
      { records: [], counts: { outages: 1, noticed: 0 } },
    ],
    empty: { ...connected(12), records: eventsAt(8, 4), counts: { outages: 0, noticed: 0 } },
  },
});
