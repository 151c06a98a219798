import { type DemoTenant, demoHistory, demoRecords, demoTenants, publishDemo } from '@tenantscope/demo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Caller, callerOf } from './product/caller.ts';
import { eventually } from './product/eventually.ts';
import { type Product, product } from './product/product.ts';

// The first company of the demonstration, as whoever looks at it for the first time finds it.

const dayMs = 86_400_000;

let running: Product;
let caller: Caller;
let status: Status;

interface Status {
  readonly requirements: readonly { key: string; area: string; status: string; evaluation: string }[];
  readonly frameworks: readonly { key: string; selected: boolean; readinessPercent: number | null }[];
}

beforeAll(async () => {
  running = await product();
  await running.startIngest();
  const { baseUrl } = await running.startApi();
  const [company] = demoTenants as [DemoTenant, ...DemoTenant[]];
  const { name, azureTenantId } = company;
  const endMs = Date.now();
  const connectedAt = new Date(endMs - 30 * dayMs);
  const { id } = await running.admin.tenants.create({ name, azureTenantId, organizationId: null, connectedAt });
  const key = { name: 'evidence', scopes: ['evidence:read' as const], owner: { tenantId: id }, expiresAt: null };
  caller = callerOf(baseUrl, (await running.admin.keys.create(key)).secret);
  const to = { brokers: inject('services').kafka, topicPrefix: running.environment.TENANTSCOPE_TOPIC_PREFIX ?? '' };
  let published = 0;
  for (const records of [demoRecords({ tenant: company, endMs }), demoHistory({ tenant: company, endMs })])
    published += await publishDemo({ ...to, tenantId: id, records });
  await eventually('all of it is taken in', 60_000, async () => {
    const lanes = await running.admin.lanes.list();
    return lanes.reduce((sum, { nextOffset }) => sum + Number(nextOffset), 0) >= published;
  });
  status = (await caller.get('/compliance/status')).body.data;
}, 180_000);
afterAll(() => running[Symbol.asyncDispose](), 60_000);

const outcomesOf = (area: string) =>
  status.requirements
    .filter((one) => one.area === area)
    .map((one) => (one.status === 'not_evaluated' ? one.evaluation : one.status));

test('a company half way: some duties are met, some at risk, some missed, and of some nothing can be said', () => {
  const count = (outcome: string) =>
    status.requirements.filter((one) => [one.status, one.evaluation].includes(outcome)).length;
  for (const outcome of ['met', 'at_risk', 'not_met']) expect(count(outcome), outcome).toBeGreaterThan(20);
  for (const outcome of ['no_data', 'manual', 'not_applicable']) expect(count(outcome), outcome).toBeGreaterThan(0);
  for (const area of new Set(status.requirements.map((one) => one.area))) {
    const outcomes = outcomesOf(area);
    expect(new Set(outcomes).size, area).toBeGreaterThanOrEqual(Math.min(outcomes.length, 2));
  }
});

test('some frameworks were selected, and how ready the company is differs between them', () => {
  const selected = status.frameworks.filter((framework) => framework.selected);
  expect(selected.length).toBeGreaterThan(2);
  expect(selected.length).toBeLessThan(status.frameworks.length);
  expect(new Set(status.frameworks.map(({ readinessPercent }) => readinessPercent)).size).toBeGreaterThan(4);
});

test('every section of the evidence pack has rows to show', async () => {
  const { sections } = (await caller.get('/evidence/agents')).body.data;
  expect(sections).toHaveLength(16);
  for (const { key, rowCount } of sections) expect(rowCount, key).toBeGreaterThanOrEqual(2);
});

test('the vendor’s score has its history and its controls, and readiness for an assistant speaks of every dimension', async () => {
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
