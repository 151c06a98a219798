import { readStatusInSnapshot, requirementCatalogue } from '@tenantscope/compliance';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isLong, seed } from '../torture/random.ts';
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
      exception: null,
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
  expect(await listDifferences(await createTenant(...accounts))).toEqual([]);
});

const texts = [
  '',
  "o'hara",
  '<img src=x onerror=alert(1)>',
  '\u202Eevil',
  '"}],"data":[{',
  '; drop table models.log_fact --',
  '🦊',
];
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null, freq: 2 });
const instants = maybe(fc.integer({ min: 0, max: 200 }).map((days) => input.at(nowMs - days * dayMs)));
const names = fc.constantFrom(...texts.map((text) => `name ${text}`));
const risk = { riskLevel: maybe(fc.constantFrom('high', 'low', 'none')), riskUpdatedAt: instants };

/** Members of entities, each of them at times missing: an entity's rules must count and list it alike. */
const entities = {
  user: fc.record({
    displayName: names,
    userType: maybe(fc.constantFrom('member', 'guest')),
    accountEnabled: maybe(fc.boolean()),
    mfaRegistered: maybe(fc.boolean()),
    methodsRegistered: maybe(fc.subarray(['fido2', 'sms'])),
    roles: maybe(fc.subarray(['Global Administrator', 'Security Reader'])),
    licenseSkus: maybe(fc.subarray(['SPE_E5', 'FLOW_FREE', 'M365_COPILOT'])),
    hasCopilotLicense: maybe(fc.boolean()),
    lastSignInAt: instants,
    createdAt: instants,
    disabledAt: instants,
    ...risk,
  }),
  device: fc.record({
    displayName: names,
    isManaged: maybe(fc.boolean()),
    isCompliant: maybe(fc.boolean()),
    isEncrypted: maybe(fc.boolean()),
    lastSyncAt: instants,
  }),
  agent: fc.record({
    displayName: names,
    lifecycleStatus: maybe(fc.constantFrom('published', 'deployed', 'blocked')),
    publisherType: maybe(fc.constantFrom('custom', 'external', 'microsoft')),
    availableTo: maybe(fc.constantFrom('none', 'some', 'all')),
    deployedTo: maybe(fc.constantFrom('none', 'some')),
    hasTenantWideReach: maybe(fc.boolean()),
    hasWriteAccess: maybe(fc.boolean()),
    createdAt: instants,
    ...risk,
  }),
  file: fc.record({
    name: names,
    sensitiveInfoTypes: maybe(fc.constant([{ id: 'iban', name: 'IBAN' }])),
    hasAnonymousLink: maybe(fc.boolean()),
    externalUserCount: maybe(fc.nat(2)),
    aiAppReachCount: maybe(fc.nat(2)),
    isProtected: maybe(fc.boolean()),
  }),
  site: fc.record({ displayName: names, everyoneAccess: maybe(fc.boolean()), sensitiveFileCount: maybe(fc.nat(1)) }),
};

test('findings add up to metrics for random tenants with missing facts and hostile texts', {
  timeout: isLong ? 1_800_000 : 120_000,
}, async () => {
  const lists = fc.record({
    user: fc.array(entities.user, { maxLength: 12 }),
    device: fc.array(entities.device, { maxLength: 8 }),
    agent: fc.array(entities.agent, { maxLength: 8 }),
    file: fc.array(entities.file, { maxLength: 8 }),
    site: fc.array(entities.site, { maxLength: 6 }),
  });
  console.log(`findings: seed ${seed}`);
  for (const kinds of fc.sample(lists, { numRuns: isLong ? 150 : 6, seed: Number(seed) | 0 })) {
    const records = Object.entries(kinds).flatMap(([kind, members]) =>
      members.map((given, number) => input[kind as keyof typeof entities](`${kind}-${number}`, given)),
    );
    const tenantId = await createTenant(...records);
    expect(await listDifferences(tenantId), JSON.stringify(kinds)).toEqual([]);
  }
});

/** Rules whose findings, read in pages of 3, do not add up to their metrics. */
async function listDifferences(tenantId: string): Promise<(string | null)[]> {
  const query = { tenantId, connectedAtMs, nowMs };
  const { requirements } = await facts.read(tenantId, (client) => readStatusInSnapshot(client, query));
  const metrics = new Map(requirements.map(({ key, metricsJson }) => [key, metricsJson]));
  const differences = [];
  for (const requirement of requirementsWithFindings) {
    const found = await read(tenantId, requirement.key, 3);
    differences.push(explainDifference(requirement, metrics.get(requirement.key) ?? {}, found));
  }
  return differences.filter((one) => one !== null);
}
