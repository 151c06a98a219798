import * as happened from './happened.ts';
import { many, nowMs, prefixesOf, testOutcomes } from './outcomes.ts';
import * as said from './said.ts';

const { dayMs, hourMs } = said;
const scanned = (policyId: string, ageMs: number, status: string, more: object = {}) =>
  happened.policyScan(`${policyId}.${ageMs}.${status}`, policyId, nowMs - ageMs, {
    status,
    resources: 1,
    resolvedAt: status === 'resolved' ? said.at(nowMs - ageMs) : null,
    ...more,
  });

/** So many enabled policies, of which some were scanned too long ago, in vain, or never. */
const scannedPolicies = (count: number, idle: number) => [
  ...many(count, (index) => said.policy(`policy${index}`)),
  ...many(count - idle, (index) => scanned(`policy${index}`, 7 * dayMs, 'clear')),
  ...many(idle, (index) => scanned(`policy${count - 1 - index}`, 7 * dayMs + 1, 'clear')),
  ...many(Math.min(1, idle), () => scanned(`policy${count - 1}`, dayMs, 'error')),
  said.policy('disabled', { enabled: false }),
  scanned('unknown', dayMs, 'clear'),
];

/** So many critical policies whose matches have lain for longer than 30 days by the millisecond. */
const lying = (count: number) =>
  many(count, (index) => [
    said.policy(`lying${index}`, { severity: index % 2 ? 'critical' : null }),
    scanned(`lying${index}`, 50 * dayMs, 'resolved', { severity: 'critical' }),
    scanned(`lying${index}`, 30 * dayMs + 1, 'open', { severity: 'critical' }),
    scanned(`lying${index}`, dayMs, 'snoozed', { severity: 'critical' }),
    scanned(`lying${index}`, hourMs, 'error', { severity: 'critical' }),
  ]).flat();
const handled = [
  said.policy('young', { severity: 'critical' }),
  scanned('young', 60 * dayMs, 'open'),
  scanned('young', 40 * dayMs, 'resolved'),
  scanned('young', 30 * dayMs, 'open'),
  said.policy('clear', { severity: 'critical' }),
  scanned('clear', 60 * dayMs, 'open'),
  scanned('clear', dayMs, 'clear'),
];
const harmless = [
  said.policy('high', { severity: 'high' }),
  scanned('high', 60 * dayMs, 'open'),
  said.policy('disabled', { severity: 'critical', enabled: false }),
  scanned('disabled', 60 * dayMs, 'open', { severity: 'critical' }),
];

testOutcomes(prefixesOf.policies, {
  'ops.policies.scan_freshness': {
    met: { told: scannedPolicies(2, 0), counts: { policies: 2, scanned: 2, scannedPct: 100 } },
    at_risk: { told: scannedPolicies(10, 1), counts: { policies: 10, scanned: 9, scannedPct: 90 } },
    not_met: [
      { told: scannedPolicies(19, 2), counts: { policies: 19, scanned: 17, scannedPct: 89.4 } },
      { told: [said.policy('never')], counts: { policies: 1, scanned: 0, scannedPct: 0 } },
    ],
    empty: { told: scannedPolicies(0, 0), counts: { policies: 0, scanned: 0 } },
  },
  'ops.policies.critical_open': {
    met: { told: [...handled, ...harmless], counts: { criticalPolicies: 2, openOver30d: 0 } },
    at_risk: { told: [...handled, ...lying(3)], counts: { criticalPolicies: 5, openOver30d: 3 } },
    not_met: { told: lying(4), counts: { criticalPolicies: 4, openOver30d: 4 } },
    empty: { told: harmless, counts: { criticalPolicies: 0, openOver30d: 0 } },
  },
});
