import { requirementCatalogue } from '@tenantscope/compliance';
import { readMetrics } from '@tenantscope/store/compliance';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FactDatabase, newTenantId, openFactDatabase } from './fact-database.ts';
import { explainDifference, readAllFindings, requirementsWithFindings } from './finding-counts.ts';
import * as input from './input-records.ts';
import { nowMs } from './outcomes.ts';

const { dayMs } = input;
const connectedAtMs = nowMs - 200 * dayMs;

let facts: FactDatabase;
beforeAll(async () => {
  facts = await openFactDatabase();
}, 60_000);
afterAll(() => facts?.[Symbol.asyncDispose]());

const sources = [...new Set(requirementCatalogue.flatMap((one) => one.sources))];

async function createTenant(...records: readonly input.InputRecord[]): Promise<string> {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, nowMs, [...records, ...sources.map((source) => input.sourceStatus(source, nowMs))]);
  return tenantId;
}

const read = (tenantId: string, key: string, limit = 1000, states: ('failing' | 'unknown')[] | null = null) =>
  facts.read(tenantId, (client) => readAllFindings(client, { tenantId, connectedAtMs, nowMs }, key, limit, states));

const longAgo = { createdAt: input.at(nowMs - 99 * dayMs) };
const accounts = [
  input.user('anna', { ...longAgo, mfaRegistered: true, lastSignInAt: input.at(nowMs) }),
  input.user('bert', { ...longAgo, mfaRegistered: false, lastSignInAt: input.at(nowMs - 91 * dayMs) }),
  input.user('cleo', { ...longAgo, mfaRegistered: null }),
];

test('a finding names the account, its state, the reason and since when', async () => {
  const tenantId = await createTenant(...accounts);
  expect(await read(tenantId, 'iam.mfa.members')).toEqual([
    {
      subjectType: 'user',
      subjectId: 'bert',
      subjectName: 'bert of Contoso',
      state: 'failing',
      reason: 'mfa_not_registered',
      since: null,
      count: 1,
      detail: {},
    },
    expect.objectContaining({ subjectId: 'cleo', state: 'unknown', reason: 'not_reported' }),
  ]);
  expect(await read(tenantId, 'iam.accounts.inactive')).toMatchObject([
    { subjectId: 'bert', state: 'failing', since: input.at(nowMs - 91 * dayMs) },
    { subjectId: 'cleo', state: 'unknown', since: null },
  ]);
});

test('findings are selected by their state', async () => {
  const tenantId = await createTenant(...accounts);
  const idsIn = async (state: 'failing' | 'unknown') =>
    (await read(tenantId, 'iam.mfa.members', 1000, [state])).map(({ subjectId }) => subjectId);
  expect(await idsIn('failing')).toEqual(['bert']);
  expect(await idsIn('unknown')).toEqual(['cleo']);
});

test('pages of any size contain every finding once, in the order of their ids', async () => {
  const hostile = ["o'hara", '"', '\\', '_', 'Z', 'a', 'A', '-1', '$1', '{}', 'null', '[', 'b'];
  const tenantId = await createTenant(
    ...hostile.map((id) => input.user(id, { mfaRegistered: false, displayName: `<b>${id}</b> \u{1F600} ż '; --` })),
  );
  const inOrder = hostile.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const limit of [1, 2, 3, hostile.length, 1000]) {
    const found = await read(tenantId, 'iam.mfa.members', limit);
    expect(found.map(({ subjectId }) => subjectId)).toEqual(inOrder);
    expect(found.map(({ subjectName }) => subjectName)).toEqual(inOrder.map((id) => `<b>${id}</b> \u{1F600} ż '; --`));
  }
});

test('a requirement whose source is missing has no findings, as it has no metrics', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, nowMs - 80 * input.hourMs, accounts);
  expect(await read(tenantId, 'iam.mfa.members')).toEqual([]);
});

test('the findings of every rule add up to its metrics', async () => {
  const tenantId = await createTenant(...accounts);
  const metrics = await facts.read(tenantId, (client) => readMetrics(client, { tenantId, connectedAtMs, nowMs }));
  const differences = [];
  for (const requirement of requirementsWithFindings) {
    const found = await read(tenantId, requirement.key, 2);
    differences.push(explainDifference(requirement, metrics[requirement.key] ?? {}, found));
  }
  expect(differences.filter((one) => one !== null)).toEqual([]);
});
