import { type ComplianceFinding, scopes } from '@tenantscope/contract';
import { type DemoTenant, demoHistory, demoRecords, demoTenants, publishDemo } from '@tenantscope/demo';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type RequirementRow, rollUpArticles } from '../compliance/article-roll-up.ts';
import { expectDistinctSubjects, explainDifference, requirementsWithFindings } from '../compliance/finding-counts.ts';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { openTestPool } from '../services/pool.ts';
import { countFigures } from './rest-figures.ts';

// The first demo company as a new user finds it.

const dayMs = 86_400_000;

let installation: Installation;
let caller: ApiClient;
let status: Status;
let superuser: Pool;

interface Status {
  readonly requirements: readonly (RequirementRow & { readonly area: string })[];
  readonly frameworks: readonly {
    readonly key: string;
    readonly selected: boolean;
    readonly readinessPercent: number | null;
    readonly articleCounts: { readonly met: number; readonly indicatorsMet: number };
    readonly controls: readonly { readonly id: string; readonly status: string; readonly coverage: string | null }[];
  }[];
}

beforeAll(async () => {
  installation = await startInstallation();
  await installation.startIngest();
  const { baseUrl } = await installation.startApi();
  const [company] = demoTenants as [DemoTenant, ...DemoTenant[]];
  const { name, azureTenantId } = company;
  const endMs = Date.now();
  const connectedAt = new Date(endMs - 30 * dayMs);
  const { id } = await installation.admin.tenants.create({ name, azureTenantId, organizationId: null, connectedAt });
  const key = { name: 'evidence', scopes: [...scopes], owner: { tenantId: id }, expiresAt: null };
  caller = createApiClient(baseUrl, (await installation.admin.keys.create(key)).secret);
  const to = {
    kafka: { brokers: inject('services').kafka },
    topicPrefix: installation.environment.TENANTSCOPE_TOPIC_PREFIX ?? '',
  };
  let published = 0;
  for (const records of [demoRecords({ tenant: company, endMs }), demoHistory({ tenant: company, endMs })])
    published += await publishDemo({ ...to, tenantId: id, records });
  await eventually('all records are ingested', 60_000, async () => {
    const lanes = await installation.admin.lanes.list();
    return lanes.reduce((sum, { nextOffset }) => sum + Number(nextOffset), 0) >= published;
  });
  await installation.startJobs();
  await installation.cli('snapshot', 'take', '--tenant', id);
  superuser = openTestPool(installation.database.superuser, { max: 1 });
  status = (await caller.get('/compliance/status')).body.data;
});
afterAll(async () => {
  await superuser?.end();
  await installation[Symbol.asyncDispose]();
});

const outcomesOf = (area: string) =>
  status.requirements
    .filter((one) => one.area === area)
    .map((one) => (one.status === 'not_evaluated' ? one.evaluation : one.status));

test('the demo company has requirements that are met, at risk, not met and not evaluated', () => {
  const count = (outcome: string) =>
    status.requirements.filter((one) => [one.status, one.evaluation].includes(outcome)).length;
  for (const outcome of ['met', 'at_risk', 'not_met']) expect(count(outcome), outcome).toBeGreaterThan(20);
  for (const outcome of ['no_data', 'manual', 'not_applicable']) expect(count(outcome), outcome).toBeGreaterThan(0);
  for (const area of new Set(status.requirements.map((one) => one.area))) {
    const outcomes = outcomesOf(area);
    expect(new Set(outcomes).size, area).toBeGreaterThanOrEqual(Math.min(outcomes.length, 2));
  }
});

test('the demo company selects some frameworks with different readiness', () => {
  const selected = status.frameworks.filter((framework) => framework.selected);
  expect(selected.length).toBeGreaterThan(2);
  expect(selected.length).toBeLessThan(status.frameworks.length);
  expect(new Set(status.frameworks.map(({ readinessPercent }) => readinessPercent)).size).toBeGreaterThan(4);
});

test('every article of the demo company has the status and coverage of an independent roll-up', () => {
  const expected = rollUpArticles(status.requirements);
  for (const { key, controls } of status.frameworks)
    expect(
      controls.map(({ id, status, coverage }) => ({ id, status, coverage })),
      key,
    ).toEqual(expected[key]?.map(({ id, status, coverage }) => ({ id, status, coverage })));
  const articles = status.frameworks.flatMap(({ controls }) => controls);
  expect(articles.filter((one) => one.status === 'met' && one.coverage === 'indicator').length).toBeGreaterThan(0);
  const countMet = (name: 'met' | 'indicatorsMet') =>
    status.frameworks.reduce((sum, { articleCounts }) => sum + articleCounts[name], 0);
  const met = articles.filter((one) => one.status === 'met');
  expect(countMet('met')).toBe(met.filter(({ coverage }) => coverage === 'main').length);
  expect(countMet('indicatorsMet')).toBe(met.filter(({ coverage }) => coverage === 'indicator').length);
});

/** Members that name a person by design, or the contact that an organization declared. */
const namingMembers = [
  ...['actor.name', 'assignedUser', 'attestedBy', 'recordedBy', 'review.reviewedBy'],
  'measures.complaintChannel',
];

test('the pack has no mail address outside members that name persons, and no national id', async () => {
  const { sections } = (await caller.get('/evidence/agents')).body.data;
  const found: string[] = [];
  let masked = 0;
  const search = (value: unknown, names: readonly string[]): void => {
    if (Array.isArray(value)) for (const item of value) search(item, names);
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) search(member, [...names, name]);
    else if (typeof value === 'string' && !namingMembers.includes(names.slice(1).join('.'))) {
      masked += value.split(/\[(?:mail address|national id) removed\]/).length - 1;
      // Ids of chats end in @thread.v2.
      if (/@(?!thread\.v2)[\w-]+\.\w/.test(value) || listPesels(value).length > 0)
        found.push(`${names.join('.')}: ${value}`);
    }
  };
  for (const { key, rows } of sections) search(rows, [key]);
  expect(found).toEqual([]);
  expect(masked).toBeGreaterThan(5);
});

/** Polish national ids: 11 digits of which the last one is the check digit. Hexadecimal ids have such digits between letters. */
const listPesels = (text: string): string[] =>
  (text.match(/(?<![\da-z])\d{11}(?![\da-z])/gi) ?? []).filter((digits) => {
    const weights = [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1];
    return weights.reduce((sum, weight, place) => sum + weight * Number(digits[place]), 0) % 10 === 0;
  });

test('a pseudonymised pack has no address, sign-in name or id of a person of the demo company', async () => {
  const { text } = await caller.get('/evidence/agents', { pseudonymise: 'true' });
  const { rows } = await superuser.query(
    `select distinct lower(one) as one from models.entity_alias a, unnest(array[a.id, a.alias]) one
      where a.kind = 'user' and length(one) > 5`,
  );
  expect(rows.length).toBeGreaterThan(50);
  const lower = text.toLowerCase();
  expect(rows.map(({ one }) => one).filter((one) => lower.includes(one))).toEqual([]);
});

test('every section of the evidence pack has rows', async () => {
  const { sections } = (await caller.get('/evidence/agents')).body.data;
  expect(sections).toHaveLength(19);
  for (const { key, rowCount } of sections) expect(rowCount, key).toBeGreaterThanOrEqual(2);
});

test('the vendor score has history and controls, and assistant readiness covers every dimension', async () => {
  const score = (await caller.get('/security-score')).body.data;
  expect(score.history).toHaveLength(90);
  expect(score.controls.length).toBeGreaterThan(10);
  expect([score.delta7d, score.delta30d, score.percent].filter((number) => typeof number !== 'number')).toEqual([]);
  const readiness = (await caller.get('/copilot-readiness')).body.data;
  const standings = readiness.dimensions.map((dimension: { status: string }) => dimension.status);
  expect(standings).not.toContain('unknown');
  expect(new Set(standings).size).toBe(3);
  expect(readiness.topSites.length * readiness.topSensitiveTypes.length).toBeGreaterThan(0);
});

test('the findings of every requirement add up to its metrics, and each finding is listed once', {
  timeout: 120_000,
}, async () => {
  const { requirements } = (await caller.get('/compliance/status')).body.data;
  let listed = 0;
  for (const requirement of requirementsWithFindings) {
    const { metricsJson, findingsUrl } = requirements.find(({ key }: { key: string }) => key === requirement.key);
    const findings = await listAll(findingsUrl);
    listed += findings.length;
    expect(explainDifference(requirement, metricsJson, findings)).toBeNull();
    expectDistinctSubjects(findings);
  }
  expect(listed).toBeGreaterThan(100);
});

const countedFeeds = [
  'actions',
  'agents',
  'apps',
  'compliance/snapshots',
  'detections',
  'devices',
  'files',
  'groups',
  'notifications',
  'security-alerts',
  'sites',
  'users',
];

test('figures of 40 requirements are those that a reader counts in the rows of the lists', async () => {
  const rows = await Promise.all(countedFeeds.map(async (feed) => [feed, await listRows(feed)] as const));
  const { data } = (await caller.get('/compliance/status')).body;
  const counted = countFigures(Object.fromEntries(rows), Date.parse(data.generatedAt));
  const reported = data.requirements.flatMap(({ key, metricsJson }: { key: string; metricsJson: object }) =>
    key in counted ? [[key, expect.objectContaining(counted[key] ?? {}), metricsJson]] : [],
  );
  expect(reported.length).toBeGreaterThanOrEqual(40);
  for (const [key, expected, metrics] of reported) expect({ key, metrics }).toEqual({ key, metrics: expected });
});

async function listRows(feed: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let parameters: Record<string, string> = { limit: '100' }; ; ) {
    const { status: code, body, text } = await caller.get(`/${feed}`, parameters);
    expect(code, text).toBe(200);
    rows.push(...body.data);
    if (!body.pagination.hasMore) return rows;
    parameters = { cursor: body.pagination.nextCursor };
  }
}

/** Every page of findings. */
async function listAll(url: string): Promise<ComplianceFinding[]> {
  const findings: ComplianceFinding[] = [];
  const instants = new Set<string>();
  for (let parameters: Record<string, string> = { limit: '100' }; ; ) {
    const { status: code, body, text } = await caller.get(url, parameters);
    expect(code, text).toBe(200);
    findings.push(...body.data);
    instants.add(body.pagination.evaluatedAt);
    if (!body.pagination.hasMore) break;
    parameters = { cursor: body.pagination.nextCursor };
  }
  expect(instants.size).toBe(1);
  return findings;
}
