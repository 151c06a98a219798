import { describe, expect, it } from 'vitest';
import { evaluate, type Facts } from '../src/index.ts';
import { bareFacts, createAttestation, dayMs, fresh, freshSources, hourMs, nowMs, requirementNamed } from './facts.ts';

function outcome(key: string, facts: Partial<Facts>): string {
  const { status, evaluation, reason } = evaluate(requirementNamed(key), { ...bareFacts, ...facts });
  return [status, evaluation, reason].join(' ');
}

/** What one requirement is found to be by these metrics, with everything else in order. */
const measuredAs = (key: string, metrics: Record<string, number | null>, facts: Partial<Facts> = {}) =>
  outcome(key, { metrics: { [key]: { unknown: 0, ...metrics } }, ...facts });

const without = (source: string) => ({ sources: { ...freshSources, [source]: undefined } });
const aged = (source: string, hours: number) => ({
  sources: {
    ...freshSources,
    [source]: { ...fresh, newestMs: nowMs - hours * hourMs },
  },
});
const unlicensed = (source: string) => ({
  sources: { ...freshSources, [source]: { ...fresh, newestMs: null, licensed: false } },
});

describe('a measured requirement', () => {
  const mfa = 'iam.mfa.members';

  it.each([
    [98, 100, 'met measured threshold'],
    [979, 1000, 'at_risk measured threshold'],
    [90, 100, 'at_risk measured threshold'],
    [899, 1000, 'not_met measured threshold'],
  ])('with higher as better and %i of %i has the status %s', (mfaRegistered, members, found) => {
    expect(measuredAs(mfa, { members, mfaRegistered })).toBe(found);
  });

  it.each([
    [5, 100, 'met measured threshold'],
    [51, 1000, 'at_risk measured threshold'],
    [20, 100, 'at_risk measured threshold'],
    [201, 1000, 'not_met measured threshold'],
  ])('with lower as better and %i open of %i has the status %s', (openToAll, agentsActive, found) => {
    expect(measuredAs('ai.agents.scoped_availability', { agentsActive, openToAll, openApproved: 0 })).toBe(found);
  });

  it('adds and subtracts the terms of its expression', () => {
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
  ])('with a range and %i global administrators has the status %s', (globalAdmins, status) => {
    expect(measuredAs('iam.admins.global_count', { enabledMembers: 50, globalAdmins })).toBe(
      `${status} measured threshold`,
    );
  });

  it('compares without rounding: all but one of three hundred thousand is not 100 percent', () => {
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
  ])('has a percentage that is rounded toward the worse side: %s %o', (key, metrics, name, rounded) => {
    expect(
      evaluate(requirementNamed(key), { ...bareFacts, metrics: { [key]: { unknown: 0, ...metrics } } }).metrics[name],
    ).toBe(rounded);
  });

  it('has no at-risk band without a threshold in the catalogue', () => {
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

  it('applies guards and names a guard only where it changed the status', () => {
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
  ])('with an empty population has the status of the catalogue: %s', (key, metrics, found) => {
    expect(measuredAs(key, metrics)).toBe(found);
  });

  it('has no data where the metrics are missing', () => {
    expect(outcome(mfa, {})).toBe('not_evaluated no_data source_missing');
    expect(measuredAs(mfa, { members: 10, mfaRegistered: null })).toBe('not_evaluated no_data source_missing');
    expect(
      measuredAs('ai.agents.inventory_fresh', { agentsTotal: 3, sourcesExpected: 2, oldestImportAgeHours: null }),
    ).toBe('not_evaluated no_data source_missing');
  });
});

describe('the age of sources', () => {
  const all = { members: 10, mfaRegistered: 10 };

  it('makes a source without data missing, and a source without data for 72 hours stale', () => {
    expect(measuredAs('iam.mfa.members', all, without('users'))).toBe('not_evaluated no_data source_missing');
    expect(measuredAs('iam.mfa.members', all, aged('users', 72))).toBe('met measured threshold');
    expect(measuredAs('iam.mfa.members', all, aged('users', 72.001))).toBe('not_evaluated no_data source_stale');
  });

  it('is that of the last complete import, without one that of the newest row', () => {
    const imported = {
      users: { ...fresh, newestMs: nowMs - 900 * hourMs, lastCompleteImportMs: nowMs - hourMs },
    };
    expect(measuredAs('iam.mfa.members', all, { sources: imported })).toBe('met measured threshold');
  });

  it('does not matter where age itself is measured, except for a missing source', () => {
    const policies = { policies: 4, scanned: 1 };
    expect(measuredAs('ops.policies.scan_freshness', policies, aged('policy_scans', 900))).toBe(
      'not_met measured threshold',
    );
    expect(measuredAs('ops.policies.scan_freshness', policies, without('policy_scans'))).toBe(
      'not_evaluated no_data source_missing',
    );
  });

  it('does not apply to sources inside the service', () => {
    expect(measuredAs('ops.evidence.snapshots', { snapshots: 0, daysSinceLast: null }, { sources: {} })).toBe(
      'not_met measured empty_population',
    );
  });

  it('hides metrics of a missing source and shows the age of the oldest source', () => {
    const key = 'ai.agents.no_orphans';
    const metrics = { [key]: { agentsActive: 0, orphaned: 0, unknown: 0 } };
    const found = evaluate(requirementNamed(key), { ...bareFacts, metrics, ...without('users') });
    const names = ['agentsActive', 'orphaned', 'orphanedPct', 'unknown', 'excepted'];
    expect(found.metrics).toEqual(Object.fromEntries(names.map((name) => [name, null])));
    expect(evaluate(requirementNamed(key), { ...bareFacts, metrics, ...aged('users', 30) }).dataAsOfMs).toBe(
      nowMs - 30 * hourMs,
    );
  });
});

describe('a requirement that does not apply', () => {
  const risky = 'iam.risky_users.handled';

  it('is exempt for an unlicensed source, not for a source without data', () => {
    expect(outcome(risky, unlicensed('user_risk'))).toBe('not_evaluated not_applicable not_in_scope');
    expect(outcome(risky, without('user_risk'))).toBe('not_evaluated no_data source_missing');
    // Another rule's licence takes nothing off.
    expect(outcome('iam.mfa.members', unlicensed('users'))).toBe('not_evaluated no_data source_missing');
  });

  it('is not inferred from the metrics of a stale source', () => {
    const quiet = { threatEvents: 0, triaged: 0, aiEvents: 0 };
    const key = 'ai.threats.prompt_injection_triaged';
    expect(measuredAs(key, quiet)).toBe('not_evaluated not_applicable not_in_scope');
    expect(measuredAs(key, { ...quiet, aiEvents: 9 })).toBe('met measured empty_population');
    expect(measuredAs(key, quiet, aged('logs/Audit.General', 100))).toBe('not_evaluated no_data source_stale');
    expect(measuredAs('ai.agents.no_orphans', { agentsActive: 0, orphaned: 0 }, aged('agents', 100))).toBe(
      'not_evaluated no_data source_stale',
    );
  });

  it('is exempt for a tenant without high-risk AI only with an attested classification', () => {
    const key = 'ai.oversight.high_risk_assigned';
    const usesHighRiskAi = (attestations: Facts['attestations'], usesHighRiskAi = false) =>
      measuredAs(key, { highRiskSystems: 1, withOversight: 1 }, { tenantFacts: { usesHighRiskAi }, attestations });
    const classified = createAttestation('ai.attest.classification');
    expect(usesHighRiskAi([classified])).toBe('not_evaluated not_applicable not_in_scope');
    expect(usesHighRiskAi([])).toBe('met measured threshold');
    expect(usesHighRiskAi([classified], true)).toBe('met measured threshold');
    expect(usesHighRiskAi([{ ...classified, validUntilMs: nowMs }])).toBe('met measured threshold');
    expect(usesHighRiskAi([{ ...classified, verdict: 'partial' }])).toBe('met measured threshold');
  });

  it('is exempt for a tenant that is neither a public authority nor a financial entity', () => {
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

describe('an attested requirement', () => {
  const duty = 'gov.attest.risk_assessment';
  const attested = (...given: Parameters<typeof createAttestation>[1][]) =>
    outcome(duty, { attestations: given.map((one) => createAttestation(duty, one)) });

  it.each([
    [{}, 'met attested '],
    [{ validUntilMs: nowMs + 30 * dayMs + 1 }, 'met attested '],
    [{ validUntilMs: nowMs + 30 * dayMs }, 'at_risk attested '],
    [{ validUntilMs: nowMs + 1 }, 'at_risk attested '],
    [{ validUntilMs: nowMs }, 'not_evaluated manual attestation_expired'],
    [{ withdrawal: { atMs: nowMs, by: 'ines', reason: null } }, 'not_evaluated manual attestation_withdrawn'],
    [{ withdrawal: { atMs: nowMs + 1, by: 'ines', reason: null } }, 'at_risk attested '],
    [{ withdrawal: { atMs: nowMs + 30 * dayMs + 1, by: 'ines', reason: null } }, 'met attested '],
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
    [{ attestedAtMs: nowMs }, 'met attested '],
    [{ attestedAtMs: nowMs + 1 }, 'not_evaluated manual attestation_missing'],
    [{ validUntilMs: nowMs + 9_999 * dayMs }, 'met attested '],
    [{ validUntilMs: nowMs + dayMs, attestedAtMs: nowMs - 365 * dayMs }, 'not_evaluated manual attestation_expired'],
  ])('with the attestation %o has the status %s', (given, found) => {
    expect(attested(given)).toBe(found);
  });

  it('is manual without an attestation, and the newest attestation counts even where an older one is valid for longer', () => {
    expect(attested()).toBe('not_evaluated manual attestation_missing');
    const older = { attestedAtMs: nowMs - 11 * dayMs, validUntilMs: nowMs + 300 * dayMs };
    expect(attested({ version: 2, verdict: 'non_compliant' }, older)).toBe('not_met attested ');
    expect(attested(older, { version: 2, validUntilMs: nowMs - dayMs })).toBe(
      'not_evaluated manual attestation_expired',
    );
    expect(attested({ digest: '0a', verdict: 'partial' }, { digest: '0b' })).toBe('met attested ');
  });

  it('is the latest attestation by its own time, also where the record of an older one arrived again with a higher version', () => {
    const compliant = { attestedAtMs: nowMs - 5 * dayMs, version: 9 };
    const later = { attestedAtMs: nowMs - 4 * dayMs, version: 1, verdict: 'non_compliant' as const };
    expect(attested(compliant, later)).toBe('not_met attested ');
    expect(attested(later, compliant)).toBe('not_met attested ');
  });

  it('remains the earlier attestation until the time of one dated ahead', () => {
    const current = { verdict: 'partial' as const };
    expect(attested(current, { attestedAtMs: nowMs + dayMs, version: 2 })).toBe('at_risk attested ');
  });

  it('reports the whole days until expiry', () => {
    const days = (validUntilMs: number) =>
      evaluate(requirementNamed(duty), { ...bareFacts, attestations: [createAttestation(duty, { validUntilMs })] })
        .metrics;
    expect(days(nowMs + 2.5 * dayMs)).toEqual({ attestationValidDays: 2 });
    expect(days(nowMs - dayMs)).toEqual({ attestationValidDays: 0 });
    expect(evaluate(requirementNamed(duty), bareFacts).metrics).toEqual({ attestationValidDays: null });
  });

  it('appears next to a measurement and never overrides it', () => {
    const key = 'iam.mfa.members';
    const attestation = createAttestation(key, { verdict: 'not_applicable', justification: 'we are few' });
    const metrics = { [key]: { members: 10, mfaRegistered: 1, unknown: 0 } };
    expect(evaluate(requirementNamed(key), { ...bareFacts, metrics, attestations: [attestation] })).toMatchObject({
      status: 'not_met',
      evaluation: 'measured',
      attestation,
    });
    expect(outcome(key, { attestations: [createAttestation(key)] })).toBe('not_evaluated no_data source_missing');
  });
});
