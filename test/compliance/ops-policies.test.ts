import * as events from './events.ts';
import * as input from './input-records.ts';
import { many, nowMs, requirementPrefixes, testOutcomes } from './outcomes.ts';

const { dayMs, hourMs } = input;
const scanned = (policyId: string, ageMs: number, status: string, more: object = {}) =>
  events.policyScan(`${policyId}.${ageMs}.${status}`, policyId, nowMs - ageMs, {
    status,
    resources: 1,
    resolvedAt: status === 'resolved' ? input.at(nowMs - ageMs) : null,
    ...more,
  });

/** Enabled policies; some were scanned too long ago, failed or never. */
const scannedPolicies = (count: number, idle: number) => [
  ...many(count, (index) => input.policy(`policy${index}`)),
  ...many(count - idle, (index) => scanned(`policy${index}`, 7 * dayMs, 'clear')),
  ...many(idle, (index) => scanned(`policy${count - 1 - index}`, 7 * dayMs + 1, 'clear')),
  ...many(Math.min(1, idle), () => scanned(`policy${count - 1}`, dayMs, 'error')),
  input.policy('disabled', { enabled: false }),
  scanned('unknown', dayMs, 'clear'),
];

/** Critical policies with matches that are a millisecond older than 30 days. */
const older = (count: number) =>
  many(count, (index) => [
    input.policy(`lying${index}`, { severity: index % 2 ? 'critical' : null }),
    scanned(`lying${index}`, 50 * dayMs, 'resolved', { severity: 'critical' }),
    scanned(`lying${index}`, 30 * dayMs + 1, 'open', { severity: 'critical' }),
    scanned(`lying${index}`, dayMs, 'snoozed', { severity: 'critical' }),
    scanned(`lying${index}`, hourMs, 'error', { severity: 'critical' }),
  ]).flat();
const handled = [
  input.policy('young', { severity: 'critical' }),
  scanned('young', 60 * dayMs, 'open'),
  scanned('young', 40 * dayMs, 'resolved'),
  scanned('young', 30 * dayMs, 'open'),
  input.policy('clear', { severity: 'critical' }),
  scanned('clear', 60 * dayMs, 'open'),
  scanned('clear', dayMs, 'clear'),
];
const harmless = [
  input.policy('high', { severity: 'high' }),
  scanned('high', 60 * dayMs, 'open'),
  input.policy('disabled', { severity: 'critical', enabled: false }),
  scanned('disabled', 60 * dayMs, 'open', { severity: 'critical' }),
  // Their severity is known, though no scan succeeded, or none since it was lowered.
  input.policy('failing'),
  scanned('failing', dayMs, 'error', { severity: 'low' }),
  input.policy('lowered'),
  scanned('lowered', 60 * dayMs, 'open', { severity: 'critical' }),
  scanned('lowered', dayMs, 'error', { severity: 'low' }),
];

testOutcomes(requirementPrefixes.policies, {
  'ops.policies.scan_freshness': {
    met: { records: scannedPolicies(2, 0), counts: { policies: 2, scanned: 2, scannedPct: 100 } },
    at_risk: { records: scannedPolicies(10, 1), counts: { policies: 10, scanned: 9, scannedPct: 90 } },
    not_met: [
      { records: scannedPolicies(19, 2), counts: { policies: 19, scanned: 17, scannedPct: 89.4 } },
      { records: [input.policy('never')], counts: { policies: 1, scanned: 0, scannedPct: 0 } },
    ],
    empty: { records: scannedPolicies(0, 0), counts: { policies: 0, scanned: 0 } },
  },
  'ops.policies.critical_open': {
    met: { records: [...handled, ...harmless], counts: { criticalPolicies: 2, openOver30d: 0 } },
    at_risk: { records: [...handled, ...older(3)], counts: { criticalPolicies: 5, openOver30d: 3 } },
    not_met: { records: older(4), counts: { criticalPolicies: 4, openOver30d: 4 } },
    unknown: {
      records: [...handled, input.policy('never', { severity: 'critical' })],
      counts: { criticalPolicies: 3, openOver30d: 1, unknown: 1 },
    },
    half: {
      records: [
        ...['clear', 'failed'].map((id) => input.policy(id, { severity: 'critical' })),
        scanned('clear', dayMs, 'clear'),
        scanned('failed', dayMs, 'error'),
      ],
      counts: { criticalPolicies: 2, openOver30d: 1, unknown: 1 },
    },
    empty: { records: harmless, counts: { criticalPolicies: 0, openOver30d: 0 } },
  },
});
