import {
  type EvaluationKind,
  type MeasuredRequirement,
  requirementCatalogue,
  type Status,
  statusBehind,
} from '@tenantscope/compliance';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hourMs, type Saying, sourceStatus } from './said.ts';
import { strangeTenant, type Told, toldDatabase } from './told.ts';

/** The moment at which everything is judged. */
export const nowMs = Date.UTC(2026, 5, 15, 12);

/** What a tenant is told at a moment, which becomes the stamp of what is written. */
export interface Telling {
  readonly atMs: number;
  readonly sayings: readonly Saying[];
}

export const tellAt = (atMs: number, ...sayings: readonly Saying[]): Telling => ({ atMs, sayings });

export const many = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** What a tenant is told, and what is counted of it beside the percentage. */
export interface Case {
  readonly told: readonly (Saying | Telling)[];
  readonly counts: Readonly<Record<string, number | null>>;
  /** Half a year ago unless said otherwise. */
  readonly connectedMs?: number;
  /** To arrange what no record tells. */
  arrange?(told: Told, tenantId: string): Promise<void>;
}

/**
 * `untold`: there are rows, and none of them tells what the rule asks. `exempt`: data or what was declared says that the rule does not apply. A
 * guard is named by the metric that it looks at.
 */
type Reached = 'met' | 'at_risk' | 'not_met' | 'empty' | 'untold' | 'exempt' | `guard:${string}`;
export type Cases = Readonly<Record<string, { readonly [Outcome in Reached]?: Case | readonly Case[] }>>;

/** Which tests take care of the requirements whose keys begin so. */
export const prefixesOf = {
  people: [
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
const foreignSources = ({ sources }: MeasuredRequirement) => sources.filter((name) => !ownSources.includes(name));

/** Tests every outcome that the rules of these requirements can reach, by what tenants are told. */
export function testOutcomes(prefixes: readonly string[], cases: Cases): void {
  let told: Told;
  beforeAll(async () => {
    told = await toldDatabase();
  }, 60_000);
  afterAll(() => told?.[Symbol.asyncDispose]());
  const rules = requirementCatalogue.filter(
    (one): one is MeasuredRequirement =>
      one.kind === 'measured' && prefixes.some((prefix) => one.key.startsWith(prefix)),
  );

  const judge = async (rule: MeasuredRequirement, tenantId: string, connectedMs = nowMs - 183 * 24 * hourMs) => {
    const question = { tenantId, nowMs, connectedAtMs: connectedMs };
    const { requirements } = await told.read(tenantId, (client) => statusBehind(client, question));
    const { status, evaluation, reason, metricsJson } = requirements.find(({ key }) => key === rule.key) ?? {};
    return { status, evaluation, reason, metrics: metricsJson };
  };

  const tell = async (tenantId: string, tellings: readonly (Saying | Telling)[]) => {
    const timed = tellings.filter((one): one is Telling => 'sayings' in one);
    const last = tellings.filter((one): one is Saying => !('sayings' in one));
    for (const { atMs, sayings } of timed) await told.tell(tenantId, atMs, sayings);
    if (last.length > 0) await told.tell(tenantId, nowMs, last);
  };

  test('each outcome that a rule can reach has its case', () => {
    const wanted = rules.map((rule) => [rule.key, outcomesOf(rule)]);
    const had = Object.entries(cases).map(([key, some]) => [
      key,
      Object.keys(some).filter((name) => name !== 'untold'),
    ]);
    expect(Object.fromEntries(had.map(([key, names]) => [key, [...(names ?? [])].sort()]))).toEqual(
      Object.fromEntries(wanted.map(([key, names]) => [key, [...(names ?? [])].sort()])),
    );
  });

  for (const rule of rules) {
    const reached = Object.entries(cases[rule.key] ?? {}) as [Reached, Case | readonly Case[]][];
    for (const [outcome, some] of reached)
      for (const [index, one] of [some].flat().entries())
        test(`${rule.key}: ${outcome}${index > 0 ? `, ${index + 1}` : ''}`, async () => {
          const tenantId = strangeTenant();
          await tell(tenantId, [...one.told, ...currentUnless(one, foreignSources(rule))]);
          await one.arrange?.(told, tenantId);
          const found = await judge(rule, tenantId, one.connectedMs);
          expect(found).toMatchObject({ ...expectation(rule, outcome), metrics: one.counts });
        });

    const sources = foreignSources(rule);
    test.each(sources)(`${rule.key}: nothing is said while nothing is known of %s`, async (missing) => {
      const tenantId = strangeTenant();
      await tell(tenantId, [
        sourceStatus('elsewhere', nowMs),
        ...sources.filter((name) => name !== missing).map((name) => sourceStatus(name, nowMs)),
      ]);
      expect(await judge(rule, tenantId)).toMatchObject({
        status: 'not_evaluated',
        evaluation: 'no_data',
        reason: 'source_missing',
      });
    });

    const { maxSourceAgeHours } = rule.rule;
    if (maxSourceAgeHours !== null)
      test.each(sources)(`${rule.key}: nothing is said once %s is ${maxSourceAgeHours} hours old`, async (stale) => {
        const standing = async (ageMs: number) => {
          const tenantId = strangeTenant();
          await tell(
            tenantId,
            sources.map((name) => sourceStatus(name, name === stale ? nowMs - ageMs : nowMs)),
          );
          return (await judge(rule, tenantId)).reason;
        };
        expect(await standing(maxSourceAgeHours * hourMs)).not.toBe('source_stale');
        expect(await standing(maxSourceAgeHours * hourMs + 1)).toBe('source_stale');
      });

    const { notApplicable } = rule;
    if (notApplicable?.kind === 'unlicensed')
      test(`${rule.key}: does not apply where ${notApplicable.source} is not licensed`, async () => {
        const tenantId = strangeTenant();
        await tell(tenantId, [sourceStatus(notApplicable.source, null, { licensed: false })]);
        expect(await judge(rule, tenantId)).toMatchObject({ evaluation: 'not_applicable', reason: 'not_in_scope' });
      });
  }
}

/** Imports that just came to their end, of the sources of which the case itself tells nothing. */
function currentUnless({ told }: Case, sources: readonly string[]): Saying[] {
  const sayings = told.flatMap((one) => ('sayings' in one ? one.sayings : one));
  const own = new Set(sayings.flatMap((one) => (one.topic === 'compliance' ? [one.members.source] : [])));
  return sources.filter((source) => !own.has(source)).map((source) => sourceStatus(source, nowMs));
}

/** Beside those of its sources and their licences. */
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
