import {
  type EvaluationKind,
  type MeasuredRequirement,
  readStatusInSnapshot,
  requirementCatalogue,
  type Status,
} from '@tenantscope/compliance';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FactDatabase, newTenantId, openFactDatabase } from './fact-database.ts';
import { expectDistinctSubjects, explainDifference, readAllFindings } from './finding-counts.ts';
import { hourMs, type InputRecord, sourceStatus } from './input-records.ts';

/** The time of every evaluation. */
export const nowMs = Date.UTC(2026, 5, 15, 12);

/** Records that are ingested at a given time, which becomes their stamp. */
export interface TimedRecords {
  readonly atMs: number;
  readonly records: readonly InputRecord[];
}

export const ingestedAt = (atMs: number, ...records: readonly InputRecord[]): TimedRecords => ({ atMs, records });

export const many = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** The records of a tenant and the expected counts besides the percentage. */
export interface Case {
  readonly records: readonly (InputRecord | TimedRecords)[];
  readonly counts: Readonly<Record<string, number | null>>;
  /** Half a year ago by default. */
  readonly connectedMs?: number;
  /** For setup that no record can do. */
  arrange?(facts: FactDatabase, tenantId: string): Promise<void>;
}

/** `unknown`: what is unknown decides between met and not. `unreported`: there are rows, but none with the data of the rule. `unknown`: what is unknown decides whether it is met. `half`: half of the population is unknown. `exempt`: data or a declaration excludes the rule. A guard has the name of its metric. */
type Reached = 'met' | 'at_risk' | 'not_met' | 'empty' | 'untold' | 'unknown' | 'half' | 'exempt' | `guard:${string}`;
export type Cases = Readonly<Record<string, { readonly [Outcome in Reached]?: Case | readonly Case[] }>>;

/** The requirement key prefixes of each test file. */
export const requirementPrefixes = {
  accounts: [
    'iam.mfa.',
    'iam.admins.',
    'iam.accounts.',
    'iam.guests.',
    'iam.leavers.',
    'iam.risky_users.',
    'iam.groups.',
  ],
  roles: ['iam.privileged_changes.'],
  devices: ['dev.'],
  licenses: ['lic.'],
  logs: ['ops.logs.'],
  findings: ['ops.alerts.', 'ops.detections.', 'ops.detectors.', 'ops.incident.'],
  notifications: ['ops.notify.'],
  remediation: ['ops.remediation.'],
  policies: ['ops.policies.'],
  evidence: ['ops.evidence.', 'ops.posture.'],
  agents: [
    'ai.agents.inventory_fresh',
    'ai.agents.accountable_person',
    'ai.agents.no_orphans',
    'ai.agents.instruction',
    'ai.agents.dormant',
    'ai.agents.lifecycle_logged',
    'ai.oversight.',
  ],
  agentAccess: [
    'ai.agents.authentication_required',
    'ai.agents.scoped_availability',
    'ai.agents.least_privilege',
    'ai.agents.consent_recorded',
    'ai.agents.store_shelf',
    'ai.agents.verified_publisher',
    'ai.agents.risky_agents_handled',
  ],
  aiActivity: ['ai.logs.', 'ai.threats.', 'ai.detection.', 'ai.policies.'],
  aiData: ['ai.data.'],
  dataFiles: ['data.labels.', 'data.links.', 'data.sharing.', 'data.sites.', 'data.inventory.'],
  dataMovement: ['data.mail.', 'data.exfiltration.'],
  apps: ['ai.apps.', 'ai.copilot.', 'iam.apps.'],
} as const;

const ownSources = ['tenant', 'attestations', 'snapshots'];
/** What a rule needs of a tenant that is connected to Microsoft alone: a feed by its first route. */
const foreignSources = ({ sources, feeds }: MeasuredRequirement) => {
  const routes = feeds?.microsoft?.map(([route]) => route as string);
  return sources
    .filter((name) => !ownSources.includes(name))
    .flatMap((name) => (name === 'logs' && routes ? routes : name));
};

/** Tests every outcome that the rules of these requirements can reach, with the records of each case. */
export function testOutcomes(prefixes: readonly string[], cases: Cases): void {
  let facts: FactDatabase;
  beforeAll(async () => {
    facts = await openFactDatabase();
  }, 60_000);
  afterAll(() => facts?.[Symbol.asyncDispose]());
  const rules = requirementCatalogue.filter(
    (one): one is MeasuredRequirement =>
      one.kind === 'measured' && prefixes.some((prefix) => one.key.startsWith(prefix)),
  );

  const evaluate = async (rule: MeasuredRequirement, tenantId: string, connectedMs = nowMs - 183 * 24 * hourMs) => {
    const query = { tenantId, nowMs, connectedAtMs: connectedMs };
    const { requirements } = await facts.read(tenantId, (client) => readStatusInSnapshot(client, query));
    const { status, evaluation, reason, metricsJson } = requirements.find(({ key }) => key === rule.key) ?? {};
    return { status, evaluation, reason, metrics: metricsJson };
  };

  const expectMatchingFindings = async (
    rule: MeasuredRequirement,
    tenantId: string,
    metrics: Readonly<Record<string, number | null>>,
    connectedAtMs = nowMs - 183 * 24 * hourMs,
  ) => {
    const query = { tenantId, nowMs, connectedAtMs };
    const findings = await facts.read(tenantId, (client) => readAllFindings(client, query, rule.key, 7));
    expect(explainDifference(rule, metrics, findings)).toBeNull();
    expectDistinctSubjects(findings);
  };

  const ingest = async (tenantId: string, inputs: readonly (InputRecord | TimedRecords)[]) => {
    const timed = inputs.filter((one): one is TimedRecords => 'records' in one);
    const last = inputs.filter((one): one is InputRecord => !('records' in one));
    for (const { atMs, records } of timed) await facts.ingest(tenantId, atMs, records);
    if (last.length > 0) await facts.ingest(tenantId, nowMs, last);
  };

  test('each outcome that a rule can reach has a case', () => {
    const expected = rules.map((rule) => [rule.key, outcomesOf(rule)]);
    const actual = Object.entries(cases).map(([key, some]) => [
      key,
      Object.keys(some).filter((name) => !['untold', 'unknown', 'half'].includes(name)),
    ]);
    expect(Object.fromEntries(actual.map(([key, names]) => [key, [...(names ?? [])].sort()]))).toEqual(
      Object.fromEntries(expected.map(([key, names]) => [key, [...(names ?? [])].sort()])),
    );
  });

  for (const rule of rules) {
    const reached = Object.entries(cases[rule.key] ?? {}) as [Reached, Case | readonly Case[]][];
    for (const [outcome, some] of reached)
      for (const [index, one] of [some].flat().entries())
        test(`${rule.key} evaluates to ${outcome}${index > 0 ? ` in case ${index + 1}` : ''}`, async () => {
          const tenantId = newTenantId();
          await ingest(tenantId, [...one.records, ...currentUnless(one, foreignSources(rule))]);
          await one.arrange?.(facts, tenantId);
          const found = await evaluate(rule, tenantId, one.connectedMs);
          expect(found).toMatchObject({ ...expectation(rule, outcome), metrics: one.counts });
          await expectMatchingFindings(rule, tenantId, found.metrics ?? {}, one.connectedMs);
        });

    const sources = foreignSources(rule);
    test.each(sources)(`${rule.key} is not evaluated without the source %s`, async (missing) => {
      const tenantId = newTenantId();
      await ingest(tenantId, [
        sourceStatus('elsewhere', nowMs),
        ...sources.filter((name) => name !== missing).map((name) => sourceStatus(name, nowMs)),
      ]);
      expect(await evaluate(rule, tenantId)).toMatchObject({
        status: 'not_evaluated',
        evaluation: 'no_data',
        reason: 'source_missing',
      });
    });

    const { maxSourceAgeHours } = rule.rule;
    if (maxSourceAgeHours !== null)
      test.each(sources)(`${rule.key} is not evaluated after %s is ${maxSourceAgeHours} hours old`, async (stale) => {
        const reasonAt = async (ageMs: number) => {
          const tenantId = newTenantId();
          await ingest(
            tenantId,
            sources.map((name) => sourceStatus(name, name === stale ? nowMs - ageMs : nowMs)),
          );
          return (await evaluate(rule, tenantId)).reason;
        };
        expect(await reasonAt(maxSourceAgeHours * hourMs)).not.toBe('source_stale');
        expect(await reasonAt(maxSourceAgeHours * hourMs + 1)).toBe('source_stale');
      });

    const { notApplicable } = rule;
    if (notApplicable?.kind === 'unlicensed')
      test(`${rule.key} does not apply when ${notApplicable.source} is not licensed`, async () => {
        const tenantId = newTenantId();
        await ingest(tenantId, [sourceStatus(notApplicable.source, null, { licensed: false })]);
        expect(await evaluate(rule, tenantId)).toMatchObject({ evaluation: 'not_applicable', reason: 'not_in_scope' });
      });
  }
}

/** Imports that have just ended, for the sources that the case does not report itself. */
function currentUnless({ records }: Case, sources: readonly string[]): InputRecord[] {
  const flat = records.flatMap((one) => ('records' in one ? one.records : one));
  const own = new Set(flat.flatMap((one) => (one.topic === 'compliance' ? [one.members.source] : [])));
  return sources.filter((source) => !own.has(source)).map((source) => sourceStatus(source, nowMs));
}

/** Besides the outcomes of its sources and their licenses. */
function outcomesOf({ rule, notApplicable }: MeasuredRequirement): Reached[] {
  const band = rule.atRisk === null || rule.atRisk === rule.met ? [] : (['at_risk'] as const);
  const guards = rule.guards.map(({ metric }): Reached => `guard:${metric}`);
  const exempt = notApplicable && notApplicable.kind !== 'unlicensed' ? (['exempt'] as const) : [];
  return ['met', ...band, 'not_met', 'empty', ...guards, ...exempt];
}

interface Expectation {
  readonly status: Status;
  readonly evaluation: EvaluationKind;
  readonly reason: string;
}

function expectation({ rule }: MeasuredRequirement, outcome: Reached): Expectation {
  if (outcome === 'untold') return { status: 'not_evaluated', evaluation: 'no_data', reason: 'source_missing' };
  if (outcome === 'half') return { status: 'not_evaluated', evaluation: 'no_data', reason: 'unknown' };
  if (outcome === 'unknown') return { status: 'at_risk', evaluation: 'measured', reason: 'unknown' };
  if (outcome === 'exempt') return { status: 'not_evaluated', evaluation: 'not_applicable', reason: 'not_in_scope' };
  const guard = rule.guards.find(({ metric }) => outcome === `guard:${metric}`);
  if (guard) {
    const status = guard.effect === 'force_not_met' ? 'not_met' : 'at_risk';
    return { status, evaluation: 'measured', reason: outcome };
  }
  if (outcome === 'met' || outcome === 'at_risk' || outcome === 'not_met')
    return { status: outcome, evaluation: 'measured', reason: 'threshold' };
  const reason = 'empty_population';
  const { emptyPopulation: meaning } = rule;
  if (meaning === 'met' || meaning === 'not_met') return { status: meaning, evaluation: 'measured', reason };
  return { status: 'not_evaluated', evaluation: meaning, reason };
}
