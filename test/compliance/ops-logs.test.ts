import { randomUUID } from 'node:crypto';
import * as happened from './happened.ts';
import { notification } from './notified.ts';
import { many, nowMs, prefixesOf, tellAt, testOutcomes } from './outcomes.ts';
import * as said from './said.ts';

const { dayMs, hourMs } = said;
const minuteMs = 60_000;

const event = (occurredMs: number, workload = 'SharePoint') =>
  happened.fileEvent('FileAccessed', randomUUID(), 'anna', occurredMs, { Workload: workload });

/** So many events that were discovered at the edge of the window, so late each. */
const late = (count: number, lagMs: number) =>
  tellAt(nowMs - 7 * dayMs, ...many(count, () => event(nowMs - 7 * dayMs - lagMs)));
const tooOld = tellAt(nowMs - 7 * dayMs - 1, event(nowMs - 100 * dayMs));

const bought = [
  said.license('SPE_E5', {
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
  // Licences that nobody holds, and those that ended, let expect nothing.
  said.license('Microsoft_365_Copilot', { consumedUnits: 0 }),
  said.license('POWER_BI_PRO', { consumedUnits: 5, capabilityStatus: 'suspended' }),
];
const from = (...workloads: readonly string[]) => [
  ...workloads.map((workload) => event(nowMs - 7 * dayMs, workload)),
  event(nowMs - 7 * dayMs - 1_000, 'MicrosoftTeams'),
];

/** Events at these hours before now, of a tenant that was connected at the first of them. */
const eventsAt = (...hoursAgo: readonly number[]) =>
  hoursAgo.map((hours) => tellAt(nowMs - hours * hourMs, event(nowMs - hours * hourMs)));
const told = (hoursAgo: number, more: object = {}) =>
  notification(`told.${hoursAgo}.${Object.values(more).join('.')}`, nowMs - hoursAgo * hourMs, {
    source: 'ingestion',
    ...more,
  });
const connected = (hoursAgo: number) => ({ connectedMs: nowMs - hoursAgo * hourMs });

testOutcomes(prefixesOf.logs, {
  'ops.logs.ingestion_lag': {
    met: {
      told: [tooOld, late(20, 360 * minuteMs)],
      counts: { events: 20, p95LagMinutes: 360, p50LagMinutes: 360 },
    },
    at_risk: [
      { told: [late(1, 1_440 * minuteMs)], counts: { events: 1, p95LagMinutes: 1_440, p50LagMinutes: 1_440 } },
      // Between the 19th and the 20th of twenty, a twentieth of the way.
      {
        told: [late(19, 10 * minuteMs), late(1, 10 * dayMs)],
        counts: { events: 20, p95LagMinutes: 730, p50LagMinutes: 10 },
      },
      // Ahead of our clock is at once.
      {
        told: [late(1, 1_440 * minuteMs), late(1, -hourMs)],
        counts: { events: 2, p95LagMinutes: 1_368, p50LagMinutes: 720 },
      },
      { told: [late(1, 360 * minuteMs + 1_000)], counts: { events: 1, p95LagMinutes: 361, p50LagMinutes: 361 } },
    ],
    not_met: {
      told: [late(1, 1_440 * minuteMs + 1_000)],
      counts: { events: 1, p95LagMinutes: 1_441, p50LagMinutes: 1_441 },
    },
    empty: { told: [tooOld], counts: { events: 0, p95LagMinutes: null, p50LagMinutes: null } },
  },
  'ops.logs.workload_coverage': {
    met: {
      told: [...bought, ...from('Exchange', 'SharePoint', 'OneDrive', 'MicrosoftTeams', 'AzureActiveDirectory')],
      counts: { expectedWorkloads: 5, seenWorkloads: 5, missingWorkloads: 0, coveragePct: 100 },
    },
    at_risk: {
      told: [...bought, ...from('Exchange', 'SharePoint', 'OneDrive', 'AzureActiveDirectory', 'Copilot')],
      counts: { expectedWorkloads: 5, seenWorkloads: 4, missingWorkloads: 1, coveragePct: 80 },
    },
    not_met: {
      told: [...bought, ...from('Exchange', 'SharePoint', 'OneDrive')],
      counts: { expectedWorkloads: 5, seenWorkloads: 3, missingWorkloads: 2, coveragePct: 60 },
    },
    empty: {
      told: [...bought.slice(1), ...from('Exchange')],
      counts: { expectedWorkloads: 0, seenWorkloads: 0, missingWorkloads: 0 },
    },
  },
  'ops.logs.failure_detected': {
    met: {
      ...connected(20),
      told: [...eventsAt(16, 10, 6, 2), told(12)],
      counts: { outages: 1, noticed: 1, noticedPct: 100 },
    },
    // Silent from the connection on, and silent still.
    at_risk: {
      ...connected(25),
      told: [...eventsAt(20, 15, 10, 5), told(25), told(20), told(15), told(6)],
      counts: { outages: 5, noticed: 4, noticedPct: 80 },
    },
    not_met: [
      {
        ...connected(10),
        told: [
          ...eventsAt(9, 4),
          told(5 - 1 / 3_600_000),
          told(9 + 1 / 3_600_000),
          told(8, { decision: 'suppressed', reason: 'cooldown' }),
          told(8, { source: 'anomaly' }),
        ],
        counts: { outages: 1, noticed: 0, noticedPct: 0 },
      },
      // The window begins in an outage; nothing before it counts.
      {
        told: [...eventsAt(100 * 24, 89 * 24), told(90 * 24)],
        counts: { outages: 2, noticed: 1, noticedPct: 50 },
      },
      { told: [], counts: { outages: 1, noticed: 0 } },
    ],
    empty: { ...connected(12), told: eventsAt(8, 4), counts: { outages: 0, noticed: 0 } },
  },
});
