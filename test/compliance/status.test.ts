import { randomUUID } from 'node:crypto';
import { readCopilotReadiness, readSecurityScore, readStatus } from '@tenantscope/compliance';
import { type ComplianceStatus, complianceStatus } from '@tenantscope/contract';
import { keepProgress, openPool, withConnection } from '@tenantscope/store';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { interaction } from './happened.ts';
import * as said from './said.ts';
import { strangeTenant, type Told, toldDatabase } from './told.ts';

const { dayMs, hourMs } = said;
const nowMs = Date.UTC(2026, 5, 15, 12);
const connectedAtMs = nowMs - 200 * dayMs;

let told: Told;
let api: pg.Pool;
let superuser: pg.Pool;

beforeAll(async () => {
  told = await toldDatabase();
  api = openPool(told.database.roles.api, { name: 'status', maxConnections: 2 });
  superuser = openPool(told.database.superuser, { name: 'status, superuser', maxConnections: 2 });
}, 60_000);
afterAll(async () => {
  await Promise.all([api?.end(), superuser?.end()]);
  await told?.[Symbol.asyncDispose]();
});

const statusOf = (tenantId: string, more: { becomesSnapshot?: boolean } = {}, pool = api) =>
  readStatus(pool, { tenantId, connectedAtMs, nowMs, ...more });

function requirement(status: ComplianceStatus, key: string) {
  const found = status.requirements.find((one) => one.key === key);
  if (!found) throw new Error(`there is no ${key}`);
  return found;
}

const selection = (framework: string, selected: boolean): said.Saying => ({
  topic: 'compliance',
  type: 'compliance.frameworkSelection',
  id: framework,
  members: { framework, selected },
});

/** Three members, one of them without a second factor, and what people declared. */
const aTenant: readonly said.Saying[] = [
  said.sourceStatus('user', nowMs),
  said.user('ada'),
  said.user('ben'),
  said.user('cyd', { mfaRegistered: false }),
  said.attestation('gov.attest.risk_assessment', {
    attestedAt: said.at(nowMs - 10 * dayMs),
    validUntil: '2026-12-31T23:00:00+01:00',
    evidenceRefs: ['minutes 7'],
  }),
  said.tenantFact('financialEntity', false),
  selection('nis2', true),
  selection('rodo', true),
];

async function keepSnapshot(tenantId: string, status: ComplianceStatus, takenAtMs: number, previous: string | null) {
  const sha256 = randomUUID().replaceAll('-', '').repeat(2);
  const facts = { id: randomUUID(), takenAt: said.at(takenAtMs), trigger: 'manual', catalogueVersion: '2026.11' };
  await superuser.query(
    `insert into models.compliance_snapshot (tenant_id, id, taken_at, trigger, late, taken_by, catalogue_version, previous_sha256, sha256, document)
     values ($1, $2, $3, 'manual', false, 'test', '2026.11', $4, $5, $6)`,
    [tenantId, facts.id, facts.takenAt, previous, sha256, JSON.stringify({ ...facts, status })],
  );
  return { snapshotId: facts.id, sha256 };
}

test('of a tenant that nobody connected nothing is known, and nothing is met', async () => {
  const status = await statusOf(strangeTenant());
  complianceStatus.parse(status);
  expect(status).toMatchObject({ generatedAt: said.at(nowMs), metCount: 0, totalCount: 0 });
  expect(status.requirements.filter((one) => one.status !== 'not_evaluated').map(({ key }) => key)).toEqual([
    // That no snapshot was ever taken is known.
    'ops.evidence.snapshots',
  ]);
  expect(status.changes.every(({ baseline }) => baseline === null)).toBe(true);
});

test('what is told becomes a status: measured, attested, out of scope, and rolled up over what is selected', async () => {
  const tenantId = strangeTenant();
  await told.tell(tenantId, nowMs, aTenant);
  const status = await statusOf(tenantId);
  expect(requirement(status, 'iam.mfa.members')).toMatchObject({
    status: 'not_met',
    evaluation: 'measured',
    reason: 'threshold',
    dataAsOf: said.at(nowMs),
    metricsJson: { members: 3, mfaRegistered: 2, mfaPct: 66.6 },
    thresholds: { primaryMetric: 'mfaPct', unit: 'percent', direction: 'higher', met: 98, atRisk: 90 },
  });
  expect(requirement(status, 'gov.attest.risk_assessment')).toMatchObject({
    status: 'met',
    evaluation: 'attested',
    attestation: { verdict: 'compliant', validUntil: '2026-12-31T22:00:00.000Z', evidenceRefs: ['minutes 7'] },
  });
  expect(requirement(status, 'sup.attest.register_of_information')).toMatchObject({
    evaluation: 'not_applicable',
    reason: 'not_in_scope',
  });
  const selected = status.frameworks.filter((framework) => framework.selected);
  expect(selected.map(({ key, selectedAt }) => [key, selectedAt])).toEqual([
    ['nis2', said.at(nowMs)],
    ['gdpr', said.at(nowMs)],
  ]);
  const cited = status.requirements.filter(({ articles }) =>
    articles.some(({ framework }) => ['nis2', 'gdpr'].includes(framework)),
  );
  expect(status.totalCount).toBe(cited.length);
  expect(status.metCount).toBe(cited.filter((one) => one.status === 'met').length);
});

test('a withdrawn selection and a later attestation replace what was said before', async () => {
  const tenantId = strangeTenant();
  await told.tell(tenantId, nowMs - dayMs, aTenant);
  await told.tell(tenantId, nowMs, [
    selection('nis2', false),
    said.attestation('gov.attest.risk_assessment', { attestedAt: said.at(nowMs), verdict: 'non_compliant' }),
  ]);
  const status = await statusOf(tenantId);
  expect(status.frameworks.filter((framework) => framework.selected).map(({ key }) => key)).toEqual(['gdpr']);
  expect(requirement(status, 'gov.attest.risk_assessment').status).toBe('not_met');
});

test('another tenant changes nothing, even for a login that no wall stops', async () => {
  const [tenantId, other] = [strangeTenant(), strangeTenant()];
  await told.tell(tenantId, nowMs, aTenant);
  const question = { tenantId, connectedAtMs, nowMs };
  const before = {
    status: await statusOf(tenantId),
    readiness: await readCopilotReadiness(api, question),
    score: await readSecurityScore(api, question),
  };
  await told.tell(other, nowMs, [
    ...aTenant,
    said.user('dov', { hasCopilotLicense: true }),
    said.site('s1', { everyoneAccess: true }),
    said.file('f1', { sensitiveInfoTypes: [{ id: 't1', name: 'Card numbers' }], aiAppReachCount: 1 }),
    score(nowMs - hourMs, 40),
  ]);
  await keepSnapshot(other, before.status, nowMs - dayMs, null);
  for (const pool of [api, superuser])
    expect({
      status: await statusOf(tenantId, {}, pool),
      readiness: await readCopilotReadiness(pool, question),
      score: await readSecurityScore(pool, question),
    }).toEqual(before);
});

test('changes are told against the latest snapshot, and right after one there are none', async () => {
  const tenantId = strangeTenant();
  await told.tell(tenantId, nowMs - dayMs, aTenant);
  const first = await keepSnapshot(tenantId, await statusOf(tenantId), nowMs - 3 * hourMs, null);
  await told.tell(tenantId, nowMs - 2 * hourMs, [said.user('cyd', { mfaRegistered: true })]);
  const later = await statusOf(tenantId);
  const nis2 = later.changes.find(({ framework }) => framework === 'nis2');
  expect(nis2).toMatchObject({ baseline: { snapshotId: first.snapshotId, trigger: 'manual' }, comparable: true });
  expect(nis2?.improved.map(({ key }) => key)).toContain('iam.mfa.members');

  const second = await keepSnapshot(tenantId, later, nowMs - hourMs, first.sha256);
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

test('a status that becomes a snapshot counts itself', async () => {
  const tenantId = strangeTenant();
  expect(requirement(await statusOf(tenantId), 'ops.evidence.snapshots').status).toBe('not_met');
  expect(requirement(await statusOf(tenantId, { becomesSnapshot: true }), 'ops.evidence.snapshots')).toMatchObject({
    status: 'met',
    metricsJson: { snapshots: 1, daysSinceLast: 0 },
  });
});

test('a source that is heard of again while it is asked for does not look silent', async () => {
  const tenantId = strangeTenant();
  await told.tell(tenantId, nowMs + 2, [said.user('ada')]);
  const progress = { tenantId, source: 'users', rowCount: 1, lastOccurredAtMs: nowMs, lastStamp: said.at(nowMs + 2) };
  await withConnection(superuser, (client) =>
    keepProgress(client, { clusterId: 'cluster', topicId: randomUUID(), partition: 0 }, [progress]),
  );
  expect(requirement(await statusOf(tenantId), 'iam.mfa.members')).toMatchObject({
    status: 'met',
    dataAsOf: said.at(nowMs),
  });
});

test('without a moment of its own a question is answered by the clock of the database', async () => {
  const tenantId = strangeTenant();
  await told.tell(tenantId, nowMs + 5 * hourMs, [said.user('ada')]);
  const { generatedAt } = await readStatus(api, { tenantId, connectedAtMs, nowMs: null });
  expect(generatedAt).toBe(said.at(nowMs + 5 * hourMs));
});

test('the whole of it is given up when it takes too long', async () => {
  const tenantId = strangeTenant();
  await expect(readStatus(api, { tenantId, connectedAtMs, nowMs }, { timeoutMs: 1 })).rejects.toMatchObject({
    name: 'QueryTimedOut',
  });
  // The connection that was given up is not asked again.
  expect((await statusOf(tenantId)).requirements).toHaveLength(108);
});

const score = (atMs: number, currentScore: number, more: object = {}): said.Saying => ({
  topic: 'compliance',
  type: 'compliance.securityScore',
  id: `score-${atMs}`,
  members: { createdDateTime: said.at(atMs), currentScore, maxScore: 60.5, ...more },
});

test('readiness for an assistant follows from the status, and shows sites, kinds of data and users', async () => {
  const tenantId = strangeTenant();
  await told.tell(tenantId, nowMs - hourMs, [
    ...['user', 'site', 'file', 'sensitiveInfoType', 'logs', 'license', 'device'].map((name) =>
      said.sourceStatus(name, nowMs),
    ),
    said.license('sku-e5', { skuId: 'sku-e5', skuPartNumber: 'SPE_E5' }),
    said.user('ada', { licenseSkus: ['sku-e5'], hasCopilotLicense: true }),
    said.user('ben', { licenseSkus: ['ENTERPRISEPACK'], hasCopilotLicense: true }),
    said.user('cyd', { licenseSkus: ['sku-e5'], hasCopilotLicense: true, accountEnabled: false }),
    said.user('dov', { licenseSkus: ['POWER_BI_STANDARD'], hasCopilotLicense: false }),
    interaction('ada', nowMs - 2 * dayMs),
    said.sensitiveInfoType('cards', { name: 'Card numbers' }),
    said.site('open', { displayName: 'Open to all', everyoneAccess: true, sensitiveFileCount: 1 }),
    said.site('linked', { displayName: 'Linked', everyoneAccess: false }),
    said.site('closed', { displayName: 'Closed', everyoneAccess: false, externalUserCount: 0 }),
    said.file('f1', {
      siteId: 'linked',
      hasAnonymousLink: true,
      sensitiveInfoTypes: [{ id: 'cards', name: 'Card numbers' }],
      aiAppReachCount: 2,
    }),
    said.file('f2', {
      siteId: 'linked',
      sensitiveInfoTypes: [{ id: 'cards', name: 'Card numbers' }],
      agentReachCount: 1,
      sensitivityLabelId: 'l1',
      sensitivityLabelName: 'Confidential',
    }),
    said.restriction('r1', 'cards', 'noAiAccess', nowMs - dayMs),
  ]);
  const question = { tenantId, connectedAtMs, nowMs };
  const readiness = await readCopilotReadiness(api, question);
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
  // Steps about what is not met lead, and among them those of dimensions that can block alone.
  const urgency = readiness.actions.map(({ expectedEffect }) => (expectedEffect.includes('not_met') ? 1 : 2));
  expect(urgency).toEqual(urgency.toSorted());
  expect(readiness.actions.find(({ dimension }) => dimension === 'oversharing')).toMatchObject({
    title: 'Remove links that open sensitive files to anyone',
    link: '/files?hasAnonymousLink=true',
    expectedEffect:
      'No anonymous links on sensitive files: met instead of not_met, once anonymousPct is at most 0; it is 50.',
  });
  expect(readiness.limitations.join(' ')).toContain('iam.groups.owned');
});

test('of a tenant without a score the vendor says nothing, and the service still measures', async () => {
  const tenantId = strangeTenant();
  await told.tell(tenantId, nowMs, aTenant);
  const found = await readSecurityScore(api, { tenantId, connectedAtMs, nowMs });
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
  expect(found.service.byArea.find(({ area }) => area === 'identity')).toMatchObject({ notMet: 1 });
});

test("the vendor's numbers stay as they were told, joined with what its controls say", async () => {
  const tenantId = strangeTenant();
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
  await told.tell(tenantId, nowMs - 100 * dayMs, [score(nowMs - 100 * dayMs, 1)]);
  await told.tell(tenantId, nowMs, [
    score(nowMs - 31 * dayMs, 30.25),
    score(nowMs - 8 * dayMs, 33),
    score(nowMs - 3 * hourMs, 39),
    score(nowMs - hourMs, 40.3, controls),
    score(nowMs + dayMs, 60),
  ]);
  const found = await readSecurityScore(api, { tenantId, connectedAtMs, nowMs });
  expect(found).toMatchObject({
    asOf: said.at(nowMs - hourMs),
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
