import { describe, expect, it } from 'vitest';
import { evaluate, type Facts } from '../src/index.ts';
import { attestationOf, bareFacts, dayMs, freshSources, hourMs, nowMs, requirementNamed } from './facts.ts';

function outcome(key: string, facts: Partial<Facts>): string {
  const { status, evaluation, reason } = evaluate(requirementNamed(key), { ...bareFacts, ...facts });
  return [status, evaluation, reason].join(' ');
}

/** What one requirement is found to be by these metrics, with everything else in order. */
const measuredAs = (key: string, metrics: Record<string, number | null>, facts: Partial<Facts> = {}) =>
  outcome(key, { metrics: { [key]: metrics }, ...facts });

const without = (source: string) => ({ sources: { ...freshSources, [source]: undefined } });
const aged = (source: string, hours: number) => ({
  sources: {
    ...freshSources,
    [source]: { newestMs: nowMs - hours * hourMs, lastCompleteImportMs: null, licensed: null },
  },
});
const unlicensed = (source: string) => ({
  sources: { ...freshSources, [source]: { newestMs: null, lastCompleteImportMs: null, licensed: false } },
});

describe('what is measured', () => {
  const mfa = 'iam.mfa.members';

  it.each([
    [98, 100, 'met measured threshold'],
    [979, 1000, 'at_risk measured threshold'],
    [90, 100, 'at_risk measured threshold'],
    [899, 1000, 'not_met measured threshold'],
  ])('higher is better: %i of %i is %s', (mfaRegistered, members, found) => {
    expect(measuredAs(mfa, { members, mfaRegistered })).toBe(found);
  });

  it.each([
    [5, 100, 'met measured threshold'],
    [51, 1000, 'at_risk measured threshold'],
    [20, 100, 'at_risk measured threshold'],
    [201, 1000, 'not_met measured threshold'],
  ])('lower is better: %i open of %i is %s', (openToAll, agentsActive, found) => {
    expect(measuredAs('ai.agents.scoped_availability', { agentsActive, openToAll, openApproved: 0 })).toBe(found);
  });

  it('takes off what is taken off in the expression, and adds what is added', () => {
    expect(measuredAs('ai.agents.scoped_availability', { agentsActive: 100, openToAll: 90, openApproved: 85 })).toBe(
      'met measured threshold',
    );
    expect(measuredAs('ops.notify.delivery', { sent: 99, failed: 1, suppressed: 500 })).toBe('met measured threshold');
  });

  it.each([
    [1, 'at_risk'],
    [2, 'met'],
    [4, 'met'],
    [5, 'at_risk'],
    [8, 'at_risk'],
    [9, 'not_met'],
    [0, 'not_met'],
  ])('a range has two ends: %i global administrators are %s', (globalAdmins, status) => {
    expect(measuredAs('iam.admins.global_count', { enabledMembers: 50, globalAdmins })).toBe(
      `${status} measured threshold`,
    );
  });

  it('compares without rounding: one in three hundred thousand is not all', () => {
    expect(measuredAs('ops.logs.workload_coverage', { expectedWorkloads: 300_000, seenWorkloads: 299_999 })).toBe(
      'at_risk measured threshold',
    );
  });

  it('compares points with decimals exactly', () => {
    const score = (currentScore: number) =>
      measuredAs('ops.posture.secure_score', { currentScore, maxScore: 50.5, deltaPct30d: null });
    expect(score(40.4)).toBe('met measured threshold');
    expect(score(40.39)).toBe('at_risk measured threshold');
  });

  it.each([
    [mfa, { members: 3, mfaRegistered: 2 }, 'mfaPct', 66.6],
    [mfa, { members: 1000, mfaRegistered: 1000 }, 'mfaPct', 100],
    [mfa, { members: 100_000, mfaRegistered: 99_999 }, 'mfaPct', 99.9],
    ['dev.unmanaged_access', { events: 3, unmanaged: 1, unknown: 0 }, 'unmanagedPct', 33.4],
    ['dev.unmanaged_access', { events: 100_000, unmanaged: 1, unknown: 0 }, 'unmanagedPct', 0.1],
    ['dev.unmanaged_access', { events: 1000, unmanaged: 50, unknown: 0 }, 'unmanagedPct', 5],
    ['dev.unmanaged_access', { events: 0, unmanaged: 0, unknown: 0 }, 'unmanagedPct', null],
  ])('prints a percentage cut toward the worse side: %s %o', (key, metrics, name, printed) => {
    expect(evaluate(requirementNamed(key), { ...bareFacts, metrics: { [key]: metrics } }).metrics[name]).toBe(printed);
  });

  it('has no at-risk band where the catalogue gives none', () => {
    const history = (logHistoryDays: number, tenantConnectedDays: number, historyReachesConnection: number) =>
      measuredAs('ai.logs.retention_183', {
        logRowsAny: 1,
        logHistoryDays,
        tenantConnectedDays,
        retentionTargetDays: 183,
        historyReachesConnection,
      });
    expect(history(183, 400, 1)).toBe('met measured threshold');
    expect(history(182, 400, 1)).toBe('not_met measured threshold');
    // A young connection with nothing missing is no gap.
    expect(history(20, 20, 1)).toBe('at_risk measured guard:historyReachesConnection');
    expect(history(10, 20, 0)).toBe('not_met measured threshold');
  });

  it('a guard caps, forces, and is named only where it changed something', () => {
    const accountable = (agentsWithAccountable: number, withoutAccountableTenantWide: number | null) =>
      measuredAs('ai.agents.accountable_person', {
        agentsActive: 100,
        agentsWithAccountable,
        withoutAccountableTenantWide,
      });
    expect(accountable(99, 1)).toBe('at_risk measured guard:withoutAccountableTenantWide');
    expect(accountable(85, 1)).toBe('at_risk measured threshold');
    expect(accountable(99, 0)).toBe('met measured threshold');
    const reads = (externalReads: number) =>
      measuredAs('ai.data.restriction_no_access_violations', { restrictionsNoAccess: 2, reads: 0, externalReads });
    expect(reads(0)).toBe('met measured threshold');
    expect(reads(1)).toBe('not_met measured guard:externalReads');
    // What a guard cannot look at might have changed the status.
    expect(accountable(99, null)).toBe('not_evaluated no_data source_missing');
  });

  it.each([
    ['ai.agents.no_orphans', { agentsActive: 0, orphaned: 0 }, 'not_evaluated not_applicable empty_population'],
    [mfa, { members: 0, mfaRegistered: 0 }, 'not_evaluated no_data empty_population'],
    ['ops.alerts.backlog', { openHigh: 0, older7d: 0 }, 'met measured empty_population'],
    ['ops.detectors.running', { detectors: 0, ran24h: 0 }, 'not_met measured empty_population'],
  ])('an empty population means what the catalogue says: %s', (key, metrics, found) => {
    expect(measuredAs(key, metrics)).toBe(found);
  });

  it('is no data where nobody counted', () => {
    expect(outcome(mfa, {})).toBe('not_evaluated no_data source_missing');
    expect(measuredAs(mfa, { members: 10, mfaRegistered: null })).toBe('not_evaluated no_data source_missing');
    expect(
      measuredAs('ai.agents.inventory_fresh', { agentsTotal: 3, sourcesExpected: 2, oldestImportAgeHours: null }),
    ).toBe('not_evaluated no_data source_missing');
  });
});

describe('the age of sources', () => {
  const all = { members: 10, mfaRegistered: 10 };

  it('a source never heard of is missing, one silent for more than 72 hours is stale', () => {
    expect(measuredAs('iam.mfa.members', all, without('users'))).toBe('not_evaluated no_data source_missing');
    expect(measuredAs('iam.mfa.members', all, aged('users', 72))).toBe('met measured threshold');
    expect(measuredAs('iam.mfa.members', all, aged('users', 72.001))).toBe('not_evaluated no_data source_stale');
  });

  it('a complete import that brought nothing new is as good as a row', () => {
    const imported = {
      users: { newestMs: nowMs - 900 * hourMs, lastCompleteImportMs: nowMs - hourMs, licensed: null },
    };
    expect(measuredAs('iam.mfa.members', all, { sources: imported })).toBe('met measured threshold');
  });

  it('where age itself is measured, a stale source is judged and a missing one is not', () => {
    const policies = { policies: 4, scanned: 1 };
    expect(measuredAs('ops.policies.scan_freshness', policies, aged('policy_scans', 900))).toBe(
      'not_met measured threshold',
    );
    expect(measuredAs('ops.policies.scan_freshness', policies, without('policy_scans'))).toBe(
      'not_evaluated no_data source_missing',
    );
  });

  it('what the service tells itself is never missing', () => {
    expect(measuredAs('ops.evidence.snapshots', { snapshots: 0, daysSinceLast: null }, { sources: {} })).toBe(
      'not_met measured empty_population',
    );
  });

  it('shows nothing that was counted over a missing source, and how old the oldest one is', () => {
    const key = 'ai.agents.no_orphans';
    const metrics = { [key]: { agentsActive: 0, orphaned: 0 } };
    const found = evaluate(requirementNamed(key), { ...bareFacts, metrics, ...without('users') });
    expect(found.metrics).toEqual({ agentsActive: null, orphaned: null, orphanedPct: null });
    expect(evaluate(requirementNamed(key), { ...bareFacts, metrics, ...aged('users', 30) }).dataAsOfMs).toBe(
      nowMs - 30 * hourMs,
    );
  });
});

describe('what does not apply', () => {
  const risky = 'iam.risky_users.handled';

  it('a source that is known as not licensed takes a rule off, a silent one does not', () => {
    expect(outcome(risky, unlicensed('user_risk'))).toBe('not_evaluated not_applicable not_in_scope');
    expect(outcome(risky, without('user_risk'))).toBe('not_evaluated no_data source_missing');
    // Another rule's licence takes nothing off.
    expect(outcome('iam.mfa.members', unlicensed('users'))).toBe('not_evaluated no_data source_missing');
  });

  it('a dead source never looks not applicable, even where the numbers say so', () => {
    const quiet = { threatEvents: 0, triaged: 0, aiEvents: 0 };
    const key = 'ai.threats.prompt_injection_triaged';
    expect(measuredAs(key, quiet)).toBe('not_evaluated not_applicable not_in_scope');
    expect(measuredAs(key, { ...quiet, aiEvents: 9 })).toBe('met measured empty_population');
    expect(measuredAs(key, quiet, aged('logs', 100))).toBe('not_evaluated no_data source_stale');
    expect(measuredAs('ai.agents.no_orphans', { agentsActive: 0, orphaned: 0 }, aged('agents', 100))).toBe(
      'not_evaluated no_data source_stale',
    );
  });

  it('a tenant says it uses no high-risk AI, and the classification it rests on is attested', () => {
    const key = 'ai.oversight.high_risk_assigned';
    const says = (attestations: Facts['attestations'], usesHighRiskAi = false) =>
      measuredAs(key, { highRiskSystems: 1, withOversight: 1 }, { tenantFacts: { usesHighRiskAi }, attestations });
    const classified = attestationOf('ai.attest.classification');
    expect(says([classified])).toBe('not_evaluated not_applicable not_in_scope');
    expect(says([])).toBe('met measured threshold');
    expect(says([classified], true)).toBe('met measured threshold');
    expect(says([{ ...classified, validUntilMs: nowMs }])).toBe('met measured threshold');
    expect(says([{ ...classified, verdict: 'partial' }])).toBe('met measured threshold');
  });

  it('a duty of public authorities or of financial entities is none of those who are neither', () => {
    const duty = 'ai.attest.public_registration';
    expect(outcome(duty, { tenantFacts: { publicAuthority: false } })).toBe(
      'not_evaluated not_applicable not_in_scope',
    );
    expect(outcome(duty, { tenantFacts: { publicAuthority: true } })).toBe('not_evaluated manual attestation_missing');
    expect(outcome('sup.attest.register_of_information', { tenantFacts: { financialEntity: false } })).toBe(
      'not_evaluated not_applicable not_in_scope',
    );
  });
});

describe('what a person vouches for', () => {
  const duty = 'gov.attest.risk_assessment';
  const vouched = (...given: Parameters<typeof attestationOf>[1][]) =>
    outcome(duty, { attestations: given.map((one) => attestationOf(duty, one)) });

  it.each([
    [{}, 'met attested '],
    [{ validUntilMs: nowMs + 30 * dayMs + 1 }, 'met attested '],
    [{ validUntilMs: nowMs + 30 * dayMs }, 'at_risk attested '],
    [{ validUntilMs: nowMs + 1 }, 'at_risk attested '],
    [{ validUntilMs: nowMs }, 'not_evaluated manual attestation_expired'],
    [{ verdict: 'partial' as const }, 'at_risk attested '],
    [{ verdict: 'non_compliant' as const }, 'not_met attested '],
    [
      { verdict: 'not_applicable' as const, justification: 'no such processing' },
      'not_evaluated not_applicable not_in_scope',
    ],
    [{ verdict: 'not_applicable' as const, justification: ' ' }, 'not_evaluated manual attestation_missing'],
    [{ subject: { type: 'agent', id: 'a1' } }, 'not_evaluated manual attestation_missing'],
    [{ validUntilMs: null, attestedAtMs: nowMs - 364 * dayMs }, 'at_risk attested '],
    [{ validUntilMs: null, attestedAtMs: nowMs - 365 * dayMs }, 'not_evaluated manual attestation_expired'],
  ])('%o is %s', (given, found) => {
    expect(vouched(given)).toBe(found);
  });

  it('nothing is manual, and the newest word counts, even where an older one lasts longer', () => {
    expect(vouched()).toBe('not_evaluated manual attestation_missing');
    const older = { version: 1, validUntilMs: nowMs + 300 * dayMs };
    expect(vouched({ version: 2, verdict: 'non_compliant' }, older)).toBe('not_met attested ');
    expect(vouched(older, { version: 2, validUntilMs: nowMs - dayMs })).toBe(
      'not_evaluated manual attestation_expired',
    );
    expect(vouched({ digest: '0a', verdict: 'partial' }, { digest: '0b' })).toBe('met attested ');
  });

  it('tells the whole days that are left', () => {
    const days = (validUntilMs: number) =>
      evaluate(requirementNamed(duty), { ...bareFacts, attestations: [attestationOf(duty, { validUntilMs })] }).metrics;
    expect(days(nowMs + 2.5 * dayMs)).toEqual({ attestationValidDays: 2 });
    expect(days(nowMs - dayMs)).toEqual({ attestationValidDays: 0 });
    expect(evaluate(requirementNamed(duty), bareFacts).metrics).toEqual({ attestationValidDays: null });
  });

  it('is shown beside a measurement and never overrides it', () => {
    const key = 'iam.mfa.members';
    const attestation = attestationOf(key, { verdict: 'not_applicable', justification: 'we are few' });
    const metrics = { [key]: { members: 10, mfaRegistered: 1 } };
    expect(evaluate(requirementNamed(key), { ...bareFacts, metrics, attestations: [attestation] })).toMatchObject({
      status: 'not_met',
      evaluation: 'measured',
      attestation,
    });
    expect(outcome(key, { attestations: [attestationOf(key)] })).toBe('not_evaluated no_data source_missing');
  });
});
