import { randomUUID } from 'node:crypto';
import {
  readCopilotReadiness,
  readSecurityScore,
  readStatus,
  readStatusInSnapshot,
  type StatusQuery,
  type StatusReading,
} from '@tenantscope/compliance';
import { type ComplianceStatus, complianceStatus } from '@tenantscope/contract';
import { type PoolClient, withConnection, withReadSnapshot } from '@tenantscope/store/connection';
import { writeProgress } from '@tenantscope/store/ingest';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestPool } from '../services/pool.ts';
import { interaction } from './events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from './fact-database.ts';
import * as input from './input-records.ts';

const { dayMs, hourMs } = input;
const nowMs = Date.UTC(2026, 5, 15, 12);
const connectedAtMs = nowMs - 200 * dayMs;

let facts: FactDatabase;
let api: pg.Pool;
let superuser: pg.Pool;

beforeAll(async () => {
  facts = await openFactDatabase();
  api = openTestPool(facts.database.roles.api, { max: 2 });
  superuser = openTestPool(facts.database.superuser, { max: 2 });
});
afterAll(async () => {
  await Promise.all([api?.end(), superuser?.end()]);
  await facts?.[Symbol.asyncDispose]();
});

const statusOf = (tenantId: string, more: { becomesSnapshot?: boolean } = {}, pool = api) =>
  readStatus(pool, { tenantId, connectedAtMs, nowMs, ...more });

/** A document that shows a status, from the snapshot in which it is evaluated. */
const readDocument = <Document>(
  read: (client: PoolClient, tenantId: string, status: StatusReading) => Promise<Document>,
  pool: pg.Pool,
  query: StatusQuery & { readonly nowMs: number },
): Promise<Document> =>
  withReadSnapshot(pool, query.tenantId, (client) =>
    read(client, query.tenantId, { nowMs: query.nowMs, read: (one) => readStatusInSnapshot(one, query) }),
  );

function requirement(status: ComplianceStatus, key: string) {
  const found = status.requirements.find((one) => one.key === key);
  if (!found) throw new Error(`missing requirement ${key}`);
  return found;
}

const selection = (framework: string, selected: boolean): input.InputRecord => ({
  topic: 'compliance',
  type: 'compliance.frameworkSelection',
  id: framework,
  members: { framework, selected },
});

/** Three members, one of them without a second factor, and the declarations. */
const aTenant: readonly input.InputRecord[] = [
  input.sourceStatus('user', nowMs),
  input.user('ada'),
  input.user('ben'),
  input.user('cyd', { mfaRegistered: false }),
  input.attestation('gov.attest.risk_assessment', {
    attestedAt: input.at(nowMs - 10 * dayMs),
    validUntil: '2026-12-31T23:00:00+01:00',
    evidenceRefs: ['minutes 7'],
  }),
  input.tenantFact('financialEntity', false),
  selection('nis2', true),
  selection('rodo', true),
];

async function insertSnapshot(tenantId: string, status: ComplianceStatus, takenAtMs: number, previous: string | null) {
  const sha256 = randomUUID().replaceAll('-', '').repeat(2);
  const facts = { id: randomUUID(), takenAt: input.at(takenAtMs), trigger: 'manual', catalogueVersion: '2026.11' };
  await superuser.query(
    `insert into models.compliance_snapshot (tenant_id, id, taken_at, trigger, late, taken_by, catalogue_version, previous_sha256, sha256, document)
     values ($1, $2, $3, 'manual', false, 'test', '2026.11', $4, $5, $6)`,
    [tenantId, facts.id, facts.takenAt, previous, sha256, JSON.stringify({ ...facts, status })],
  );
  return { snapshotId: facts.id, sha256 };
}

test('a tenant that was never connected has no data and no requirement met', async () => {
  const status = await statusOf(newTenantId());
  complianceStatus.parse(status);
  expect(status).toMatchObject({ generatedAt: input.at(nowMs), metCount: 0, totalCount: 0 });
  expect(status.requirements.filter((one) => one.status !== 'not_evaluated').map(({ key }) => key)).toEqual([
    // It is a fact that no snapshot was taken.
    'ops.evidence.snapshots',
  ]);
  expect(status.changes.length).toBeGreaterThan(0);
  expect(status.changes.filter(({ baseline }) => baseline !== null)).toEqual([]);
});

test('reported facts become measured, attested and out-of-scope statuses, rolled up over the selected frameworks', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, nowMs, aTenant);
  const status = await statusOf(tenantId);
  expect(requirement(status, 'iam.mfa.members')).toMatchObject({
    status: 'not_met',
    evaluation: 'measured',
    reason: 'threshold',
    dataAsOf: input.at(nowMs),
    metricsJson: { members: 3, mfaRegistered: 2, mfaPct: 66.6 },
    thresholds: { primaryMetric: 'mfaPct', unit: 'percent', direction: 'higher', met: 98, atRisk: 90 },
  });
  expect(requirement(status, 'gov.attest.risk_assessment')).toMatchObject({
    status: 'met',
    evaluation: 'attested',
    attestation: {
      verdict: 'compliant',
      validUntil: '2026-12-31T22:00:00.000Z',
      evidenceRefs: [{ uri: null, sha256: null, title: 'minutes 7' }],
    },
  });
  expect(requirement(status, 'sup.attest.register_of_information')).toMatchObject({
    evaluation: 'not_applicable',
    reason: 'not_in_scope',
  });
  const selected = status.frameworks.filter((framework) => framework.selected);
  expect(selected.map(({ key, selectedAt }) => [key, selectedAt])).toEqual([
    ['nis2', input.at(nowMs)],
    ['gdpr', input.at(nowMs)],
  ]);
  const cited = status.requirements.filter(({ articles }) =>
    articles.some(({ framework }) => ['nis2', 'gdpr'].includes(framework)),
  );
  expect(status.totalCount).toBe(cited.length);
  expect(status.metCount).toBe(cited.filter((one) => one.status === 'met').length);
});

test('a withdrawn selection and a later attestation replace the earlier state', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, nowMs - dayMs, aTenant);
  await facts.ingest(tenantId, nowMs, [
    selection('nis2', false),
    input.attestation('gov.attest.risk_assessment', { attestedAt: input.at(nowMs), verdict: 'non_compliant' }),
  ]);
  const status = await statusOf(tenantId);
  expect(status.frameworks.filter((framework) => framework.selected).map(({ key }) => key)).toEqual(['gdpr']);
  expect(requirement(status, 'gov.attest.risk_assessment').status).toBe('not_met');
});

test('facts of another tenant change nothing, even for a login without row-level security', async () => {
  const [tenantId, other] = [newTenantId(), newTenantId()];
  await facts.ingest(tenantId, nowMs, aTenant);
  const query = { tenantId, connectedAtMs, nowMs };
  const before = {
    status: await statusOf(tenantId),
    readiness: await readDocument(readCopilotReadiness, api, query),
    score: await readDocument(readSecurityScore, api, query),
  };
  await facts.ingest(other, nowMs, [
    ...aTenant,
    input.user('dov', { hasCopilotLicense: true }),
    input.site('s1', { everyoneAccess: true }),
    input.file('f1', { sensitiveInfoTypes: [{ id: 't1', name: 'Card numbers' }], aiAppReachCount: 1 }),
    score(nowMs - hourMs, 40),
  ]);
  await insertSnapshot(other, before.status, nowMs - dayMs, null);
  for (const pool of [api, superuser])
    expect({
      status: await statusOf(tenantId, {}, pool),
      readiness: await readDocument(readCopilotReadiness, pool, query),
      score: await readDocument(readSecurityScore, pool, query),
    }).toEqual(before);
});

test('changes are relative to the latest snapshot, and there are no changes right after one', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, nowMs - dayMs, aTenant);
  const first = await insertSnapshot(tenantId, await statusOf(tenantId), nowMs - 3 * hourMs, null);
  await facts.ingest(tenantId, nowMs - 2 * hourMs, [input.user('cyd', { mfaRegistered: true })]);
  const later = await statusOf(tenantId);
  const nis2 = later.changes.find(({ framework }) => framework === 'nis2');
  expect(nis2).toMatchObject({ baseline: { snapshotId: first.snapshotId, trigger: 'manual' }, comparable: true });
  expect(nis2?.improved.map(({ key }) => key)).toContain('iam.mfa.members');

  const second = await insertSnapshot(tenantId, later, nowMs - hourMs, first.sha256);
  const now = await statusOf(tenantId);
  expect(now.changes[0]?.baseline?.snapshotId).toBe(second.snapshotId);
  expect(
    now.changes.flatMap(({ improved, regressed, lostEvidence, evaluatedNow }) => [
      ...improved,
      ...regressed,
      ...lostEvidence,
      ...evaluatedNow,
    ]),
  ).toEqual([]);
});

test('the status stored in a snapshot counts that snapshot', async () => {
  const tenantId = newTenantId();
  expect(requirement(await statusOf(tenantId), 'ops.evidence.snapshots').status).toBe('not_met');
  expect(requirement(await statusOf(tenantId, { becomesSnapshot: true }), 'ops.evidence.snapshots')).toMatchObject({
    status: 'met',
    metricsJson: { snapshots: 1, daysSinceLast: 0 },
  });
});

test('the status of a snapshot has the time of its facts, or the earliest one that follows its predecessor', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, nowMs + 500, [input.agent('a')]);
  const generatedFrom = async (earliestMs: number) =>
    (await readStatus(api, { tenantId, connectedAtMs, nowMs: null, earliestMs })).generatedAt;
  expect(await generatedFrom(nowMs)).toBe(input.at(nowMs + 500));
  expect(await generatedFrom(nowMs + 900)).toBe(input.at(nowMs + 900));
});

test('a source that reports during the evaluation does not count as silent', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, nowMs + 2, [input.user('ada')]);
  const progress = { tenantId, source: 'users', rowCount: 1, lastOccurredAtMs: nowMs, lastStamp: input.at(nowMs + 2) };
  await withConnection(superuser, (client) =>
    writeProgress(client, { clusterId: 'cluster', topicId: randomUUID(), partition: 0 }, [progress]),
  );
  expect(requirement(await statusOf(tenantId), 'iam.mfa.members')).toMatchObject({
    status: 'met',
    dataAsOf: input.at(nowMs),
  });
});

test('a query without a time uses the database clock', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, nowMs + 5 * hourMs, [input.user('ada')]);
  const { generatedAt } = await readStatus(api, { tenantId, connectedAtMs, nowMs: null });
  expect(generatedAt).toBe(input.at(nowMs + 5 * hourMs));
});

test('the evaluation is aborted when it exceeds its total time limit', async () => {
  const tenantId = newTenantId();
  await expect(readStatus(api, { tenantId, connectedAtMs, nowMs }, { timeoutMs: 1 })).rejects.toMatchObject({
    name: 'QueryTimedOut',
  });
  // The aborted connection is not used again.
  expect((await statusOf(tenantId)).requirements).toHaveLength(108);
});

const score = (atMs: number, currentScore: number, more: object = {}): input.InputRecord => ({
  topic: 'compliance',
  type: 'compliance.securityScore',
  id: `score-${atMs}`,
  members: { createdDateTime: input.at(atMs), currentScore, maxScore: 60.5, ...more },
});

test('assistant readiness follows from the status and lists sites, data types and users', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, nowMs - hourMs, [
    ...['user', 'site', 'file', 'sensitiveInfoType', 'logs', 'license', 'device'].map((name) =>
      input.sourceStatus(name, nowMs),
    ),
    input.license('sku-e5', { skuId: 'sku-e5', skuPartNumber: 'SPE_E5' }),
    input.user('ada', { licenseSkus: ['sku-e5'], hasCopilotLicense: true }),
    input.user('ben', { licenseSkus: ['ENTERPRISEPACK'], hasCopilotLicense: true }),
    input.user('cyd', { licenseSkus: ['sku-e5'], hasCopilotLicense: true, accountEnabled: false }),
    input.user('dov', { licenseSkus: ['POWER_BI_STANDARD'], hasCopilotLicense: false }),
    interaction('ada', nowMs - 2 * dayMs),
    input.sensitiveInfoType('cards', { name: 'Card numbers' }),
    input.site('open', { displayName: 'Open to all', everyoneAccess: true, sensitiveFileCount: 1 }),
    input.site('linked', { displayName: 'Linked', everyoneAccess: false }),
    input.site('closed', { displayName: 'Closed', everyoneAccess: false, externalUserCount: 0 }),
    input.file('f1', {
      siteId: 'linked',
      hasAnonymousLink: true,
      sensitiveInfoTypes: [{ id: 'cards', name: 'Card numbers' }],
      aiAppReachCount: 2,
    }),
    input.file('f2', {
      siteId: 'linked',
      sensitiveInfoTypes: [{ id: 'cards', name: 'Card numbers' }],
      agentReachCount: 1,
      sensitivityLabelId: 'l1',
      sensitivityLabelName: 'Confidential',
    }),
    input.restriction('r1', 'cards', 'noAiAccess', nowMs - dayMs),
  ]);
  const query = { tenantId, connectedAtMs, nowMs };
  const readiness = await readDocument(readCopilotReadiness, api, query);
  const status = await statusOf(tenantId);
  expect(readiness.users).toMatchObject({ eligible: 2, licensed: 3, enabled: 2, active30d: 1 });
  expect(readiness.topSites.map(({ siteId, riskRank }) => [siteId, riskRank])).toEqual([
    ['linked', 1],
    ['open', 2],
  ]);
  expect(readiness.topSites[0]).toMatchObject({ name: 'Linked', sensitiveFiles: 2, anyoneLinks: 1 });
  expect(readiness.topSensitiveTypes).toEqual([
    { id: 'cards', name: 'Card numbers', filesInReach: 2, labeledPct: 50, restriction: 'noAiAccess' },
  ]);
  const oversharing = readiness.dimensions.find(({ key }) => key === 'oversharing');
  expect(oversharing).toMatchObject({ status: 'blocked', blocking: true });
  expect(oversharing?.metrics['data.links.anonymous/anonymous']).toBe(
    requirement(status, 'data.links.anonymous').metricsJson.anonymous,
  );
  expect(readiness.overall).toBe('blocked');
  expect(readiness.actions.map(({ rank }) => rank)).toEqual(readiness.actions.map((_, index) => index + 1));
  // Steps for requirements that are not met come first, among them those of dimensions that block on their own.
  const urgency = readiness.actions.map(({ expectedEffect }) => (expectedEffect.includes('not_met') ? 1 : 2));
  expect(urgency).toEqual(urgency.toSorted());
  expect(readiness.actions.find(({ dimension }) => dimension === 'oversharing')).toMatchObject({
    title: 'Remove links that open sensitive files to anyone',
    link: '/files?hasAnonymousLink=true',
    expectedEffect:
      'No anonymous links on sensitive files: met instead of not_met, once anonymousPct is at most 0; it is 50.',
  });
  expect(readiness.limitations.join(' ')).toContain('iam.groups.owned');
  expect(readiness.limitationsPl.join(' ')).toMatch(/Brak aktualnych danych dla: .*iam\.groups\.owned/);
  expect(readiness.limitationsPl).toHaveLength(readiness.limitations.length);
});

test('readiness counts the files of a site that name it by its site collection', async () => {
  const tenantId = newTenantId();
  const id = 'contoso.example,5D9A6C9E-51B5-4B0F-8C7C-0F2E0A6E4F11,web';
  await facts.ingest(tenantId, nowMs, [
    input.site(id, { aliases: { siteCollectionId: '5d9a6c9e-51b5-4b0f-8c7c-0f2e0a6e4f11' } }),
    input.file('plan', {
      siteId: '5D9A6C9E-51B5-4B0F-8C7C-0F2E0A6E4F11',
      sensitiveInfoTypes: [{ id: 'CARDS', name: 'Cards' }],
      hasAnonymousLink: true,
      aiAppReachCount: 1,
    }),
    input.sensitiveInfoType('cards', { name: 'Card numbers', restrictionLevel: 'monitored' }),
  ]);
  const readiness = await readDocument(readCopilotReadiness, api, { tenantId, connectedAtMs, nowMs });
  expect(readiness.topSites).toMatchObject([{ siteId: id, sensitiveFiles: 1, anyoneLinks: 1 }]);
  expect(readiness.topSensitiveTypes).toMatchObject([{ name: 'Card numbers', restriction: 'monitored' }]);
});

test('readiness shows the restriction of a type that the rules count', async () => {
  const tenantId = newTenantId();
  const declaredMs = nowMs - 9 * dayMs;
  const change = (id: string, restrictionId: string, members: object) =>
    input.restrictionEvent(id, restrictionId, { occurredAt: input.at(nowMs - dayMs), ...members });
  await facts.ingest(tenantId, nowMs, [
    ...['raised', 'lifted', 'several', 'Spelled'].map((type) =>
      input.file(`file-${type}`, { sensitiveInfoTypes: [{ id: type, name: type }], aiAppReachCount: 1 }),
    ),
    input.restriction('r1', 'raised', 'monitored', declaredMs),
    change('e1', 'r1', { event: 'modify', fromLevel: 'monitored', toLevel: 'noAccess' }),
    input.restriction('r2', 'lifted', 'noAccess', declaredMs),
    change('e2', 'r2', { event: 'lift', fromLevel: 'noAccess' }),
    input.restriction('r3', 'several', 'noAiAccess', declaredMs),
    input.restriction('r4', 'several', 'monitored', declaredMs + 1),
    input.restriction('r5', 'spelled', 'noAiAccess', declaredMs),
  ]);
  const readiness = await readDocument(readCopilotReadiness, api, { tenantId, connectedAtMs, nowMs });
  expect(Object.fromEntries(readiness.topSensitiveTypes.map(({ id, restriction }) => [id, restriction]))).toEqual({
    raised: 'noAccess',
    lifted: 'none',
    several: 'noAiAccess',
    Spelled: 'noAiAccess',
  });
});

test('a tenant without a vendor score still has measured requirements', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, nowMs, aTenant);
  const found = await readDocument(readSecurityScore, api, { tenantId, connectedAtMs, nowMs });
  expect(found).toMatchObject({
    asOf: null,
    vendor: null,
    currentScore: null,
    percent: null,
    delta7d: null,
    controls: [],
    categories: [],
    history: [],
  });
  expect(found.service.byArea.find(({ area }) => area === 'identity')).toMatchObject({ notMet: 2 });
});

test('vendor scores stay unchanged and are joined with the status of their controls', async () => {
  const tenantId = newTenantId();
  const controls = {
    vendorInformation: { vendor: 'Microsoft', provider: 'SecureScore' },
    licensedUserCount: 40,
    activeUserCount: 31,
    enabledServices: ['HasExchange'],
    averageComparativeScores: [{ basis: 'AllTenants', averageScore: 33.1 }],
    controlScores: [
      { controlName: 'AdminMFAV2', controlCategory: 'Identity', score: 10 },
      { controlName: 'BlockLegacyAuthentication', controlCategory: 'Identity', score: 0.1 },
      { controlName: 'mip_search', controlCategory: 'Data', score: 3 },
    ],
    controlProfiles: [
      { id: 'AdminMFAV2', title: 'MFA for administrators', maxScore: 10, rank: 1, threats: ['accountBreach'] },
      {
        id: 'BlockLegacyAuthentication',
        title: 'Block legacy sign-in',
        maxScore: 8,
        rank: 3,
        controlStateUpdates: [
          { state: 'default', updatedDateTime: '2026-01-01T00:00:00Z' },
          { state: 'ignored', updatedDateTime: '2026-02-01T00:00:00+01:00' },
        ],
      },
    ],
  };
  await facts.ingest(tenantId, nowMs - 100 * dayMs, [score(nowMs - 100 * dayMs, 1)]);
  await facts.ingest(tenantId, nowMs, [
    score(nowMs - 31 * dayMs, 30.25),
    score(nowMs - 8 * dayMs, 33),
    score(nowMs - 3 * hourMs, 39),
    score(nowMs - hourMs, 40.3, controls),
    score(nowMs + dayMs, 60),
  ]);
  const found = await readDocument(readSecurityScore, api, { tenantId, connectedAtMs, nowMs });
  expect(found).toMatchObject({
    asOf: input.at(nowMs - hourMs),
    vendor: { name: 'Microsoft', provider: 'SecureScore' },
    currentScore: 40.3,
    maxScore: 60.5,
    percent: 66.6,
    delta7d: 12.1,
    delta30d: 16.6,
    licensedUserCount: 40,
    comparatives: [{ basis: 'AllTenants', averageScore: 33.1 }],
    categories: [
      { category: 'Data', currentScore: 3, maxScore: null, percent: null },
      { category: 'Identity', currentScore: 10.1, maxScore: 18, percent: 56.1 },
    ],
    history: [
      { date: '2026-05-15', currentScore: 30.25, percent: 50 },
      { date: '2026-06-07', currentScore: 33 },
      { date: '2026-06-15', currentScore: 40.3 },
    ],
  });
  expect(found.controls.map(({ id, gap }) => [id, gap])).toEqual([
    ['BlockLegacyAuthentication', 7.9],
    ['AdminMFAV2', 0],
    ['mip_search', null],
  ]);
  expect(found.controls[0]).toMatchObject({ state: 'ignored', stateUpdatedAt: '2026-01-31T23:00:00.000Z' });
});
