import { randomUUID } from 'node:crypto';
import { buildStatusDocument } from '@tenantscope/compliance';
import { bareFacts } from '@tenantscope/compliance/test/facts';
import {
  type ComplianceStatus,
  getComplianceChanges,
  listFrameworkHistory,
  listRequirementHistory,
  type RequirementHistoryPoint,
  type RequirementStatus,
} from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ControlledInstallation,
  type Reader,
  startControlledInstallation,
} from '../guards/controlled-installation.ts';

const mfa = 'iam.mfa.members';
const requirementPath = listRequirementHistory.path.replace('{id}', mfa);
const frameworkPath = listFrameworkHistory.path.replace('{id}', 'nis2');
const changesPath = getComplianceChanges.path;

let product: ControlledInstallation;
beforeAll(async () => {
  product = await startControlledInstallation();
});
afterAll(() => product?.[Symbol.asyncDispose]());

interface Snapshot {
  readonly takenAt: string;
  readonly status: object;
  readonly period?: string;
  readonly late?: boolean;
  readonly catalogueVersion?: string;
}

/** A tenant with these snapshots, oldest first. Numbers replace digests: only their order matters here. */
async function createReader(...snapshots: readonly Snapshot[]): Promise<Reader> {
  const tenantId = await product.createTenant();
  for (const [place, { takenAt, status, period = null, late = false, catalogueVersion = '1' }] of snapshots.entries()) {
    const trigger = period === null ? 'manual' : 'scheduled';
    const digest = (number: number) => String(number).padStart(64, '0');
    await product.superuser.query(
      `insert into models.compliance_snapshot
         (tenant_id, id, taken_at, trigger, period, late, taken_by, catalogue_version, previous_sha256, sha256, document)
       values ($1, $2, $3, $4, $5, $6, 'scheduler', $7, $8, $9, $10)`,
      [
        tenantId,
        randomUUID(),
        takenAt,
        trigger,
        period,
        late,
        catalogueVersion,
        place === 0 ? null : digest(place),
        digest(place + 1),
        JSON.stringify({ status }),
      ],
    );
  }
  return product.reader(tenantId);
}

/** A complete status document in which one requirement has this state. */
function statusWith(change: Partial<RequirementStatus>, more: Partial<ComplianceStatus> = {}): ComplianceStatus {
  const status = buildStatusDocument({ ...bareFacts, selections: [], baseline: null });
  const requirements = status.requirements.map((one) => (one.key === mfa ? { ...one, ...change } : one));
  return { ...status, ...more, requirements };
}
const failing = statusWith({
  status: 'not_met',
  evaluation: 'measured',
  reason: 'threshold',
  metricsJson: { mfaPct: 81.5, unknown: 2, excepted: 0 },
});
const excepted = statusWith({
  status: 'met',
  evaluation: 'measured',
  reason: 'excepted',
  metricsJson: { mfaPct: 90, unknown: 0, excepted: 10 },
  exceptions: { count: 10, value: 100, statusWithout: 'at_risk', inForce: [], inForceCount: 1 },
});

test('a tenant without snapshots has an empty history', async () => {
  const reader = await createReader();
  for (const path of [requirementPath, frameworkPath]) {
    const { status, body } = await reader.get(path);
    expect([status, body.data, body.pagination.hasMore]).toEqual([200, [], false]);
  }
});

test('a requirement has its status, metric and both figures in each snapshot, newest first', async () => {
  const reader = await createReader(
    { takenAt: '2026-09-07T03:00:00Z', period: '2026-W36', status: failing },
    { takenAt: '2026-09-14T03:00:00Z', period: '2026-W37', status: excepted },
  );
  const { body, text } = await reader.get(requirementPath);
  for (const point of body.data) listRequirementHistory.record.strict().parse(point);
  expect(body.data, text).toMatchObject([
    {
      takenAt: '2026-09-14T03:00:00.000Z',
      snapshot: {
        trigger: 'scheduled',
        period: '2026-W37',
        late: false,
        catalogueVersion: '1',
        evaluatorVersion: failing.evaluatorVersion,
      },
      missedWeeks: 0,
      comparable: true,
      status: 'met',
      reason: 'excepted',
      metric: { name: 'mfaPct', value: 90 },
      unknownCount: 0,
      exceptedCount: 10,
      statusWithoutExceptions: 'at_risk',
    },
    {
      snapshot: { period: '2026-W36' },
      missedWeeks: null,
      comparable: null,
      status: 'not_met',
      metric: { name: 'mfaPct', value: 81.5 },
      unknownCount: 2,
      exceptedCount: 0,
      statusWithoutExceptions: 'not_met',
    },
  ]);
});

test('weeks without a snapshot are counted, over the end of a year too, and a late snapshot is marked', async () => {
  const reader = await createReader(
    { takenAt: '2026-12-28T03:00:00Z', period: '2026-W52', status: failing },
    { takenAt: '2027-01-20T03:00:00Z', period: '2027-W02', status: failing, late: true },
    { takenAt: '2027-01-20T03:00:01Z', period: '2027-W03', status: failing },
    { takenAt: '2027-01-21T09:00:00Z', status: failing },
  );
  for (const path of [requirementPath, frameworkPath]) {
    const { body } = await reader.get(path);
    const points = body.data.map(({ snapshot, missedWeeks }: RequirementHistoryPoint) => [
      snapshot.period,
      snapshot.late,
      missedWeeks,
    ]);
    // 2026 has 53 weeks: W53 and W01 are missing.
    expect(points).toEqual([
      [null, false, null],
      ['2027-W03', false, 0],
      ['2027-W02', true, 2],
      ['2026-W52', false, null],
    ]);
  }
});

test('a requirement that a later catalogue added has no status before, and the versions are not comparable', async () => {
  const without = { ...failing, requirements: failing.requirements.filter(({ key }) => key !== mfa) };
  const reader = await createReader(
    { takenAt: '2026-09-07T03:00:00Z', period: '2026-W36', status: without },
    { takenAt: '2026-09-14T03:00:00Z', period: '2026-W37', status: failing, catalogueVersion: '2' },
    {
      takenAt: '2026-09-21T03:00:00Z',
      period: '2026-W38',
      status: { ...failing, evaluatorVersion: 'other' },
      catalogueVersion: '2',
    },
  );
  const { body } = await reader.get(requirementPath);
  expect(body.data.map((one: Record<string, unknown>) => [one.status, one.metric === null, one.comparable])).toEqual([
    ['not_met', false, false],
    ['not_met', false, false],
    [null, true, null],
  ]);
});

test('snapshots of another format are points without a status', async () => {
  const formats = [{}, { requirements: 'many', frameworks: {} }, { requirements: [{ key: mfa }], frameworks: [7] }];
  const reader = await createReader(
    ...formats.map((status, day) => ({ takenAt: `2026-09-0${day + 1}T00:00:00Z`, status })),
  );
  for (const path of [requirementPath, frameworkPath]) {
    const { status, body, text } = await reader.get(path);
    expect(status, text).toBe(200);
    for (const point of body.data) expect(point.status ?? point.readinessPercent ?? point.metCount ?? null).toBeNull();
  }
});

test('a framework has readiness with and without exceptions, by key and by alias', async () => {
  const framework = {
    ...failing.frameworks.find(({ key }) => key === 'nis2'),
    selected: true,
    readinessPercent: 50,
    coveragePercent: 75,
    metCount: 10,
    metWithExceptionsCount: 3,
    atRiskCount: 4,
    notMetCount: 1,
    notEvaluatedCount: 5,
    notApplicableCount: 2,
  };
  const reader = await createReader({
    takenAt: '2026-09-07T03:00:00Z',
    period: '2026-W36',
    status: { ...failing, frameworks: [framework] },
  });
  for (const id of ['nis2', 'nis_2']) {
    const { body } = await reader.get(listFrameworkHistory.path.replace('{id}', id));
    const point = listFrameworkHistory.record.strict().parse(body.data[0]);
    expect(point).toMatchObject({
      selected: true,
      readinessPercent: 50,
      readinessPercentWithoutExceptions: 35,
      coveragePercent: 75,
      metCount: 10,
      metWithExceptionsCount: 3,
    });
  }
  const { body } = await reader.get(listFrameworkHistory.path.replace('{id}', 'dora'));
  expect(body.data[0]).toMatchObject({ selected: null, readinessPercent: null, metCount: null });
});

test('joined pages are the whole history, and a page ends after a hundred snapshots', { timeout: 60_000 }, async () => {
  const reader = await createReader(
    ...Array.from({ length: 103 }, (_, number) => ({
      takenAt: new Date(Date.UTC(2026, 0, 2) + number * 1_000).toISOString(),
      status: { evaluatorVersion: '1', requirements: [{ key: mfa, status: String(number), metricsJson: {} }] },
    })),
  );
  const first = (await reader.get(requirementPath, { limit: '1000' })).body;
  expect([first.data.length, first.pagination.hasMore]).toEqual([100, true]);
  const next = await reader.get(requirementPath, { cursor: first.pagination.nextCursor });
  const statuses = [...first.data, ...next.body.data].map(({ status }: { status: string }) => status);
  expect(statuses).toEqual(Array.from({ length: 103 }, (_, number) => String(102 - number)));
  expect(first.data.at(-1).comparable).toBe(true);
  expect(next.headers.get('link')).toBeNull();
});

test('a cursor continues the history of its tenant and its requirement alone', async () => {
  const given = ['2026-09-01', '2026-09-02'].map((takenAt) => ({ takenAt, status: failing }));
  const [reader, other] = [await createReader(...given), await createReader(...given)];
  const { nextCursor: cursor } = (await reader.get(requirementPath, { limit: '1' })).body.pagination;
  const refusals = await Promise.all([
    other.get(requirementPath, { cursor }),
    reader.get(listRequirementHistory.path.replace('{id}', 'iam.mfa.admins'), { cursor }),
    reader.get(frameworkPath, { cursor }),
  ]);
  expect(refusals.map(({ status, code }) => [status, code])).toEqual(Array(3).fill([400, 'INVALID_CURSOR']));
});

test('unknown keys are not found', async () => {
  const reader = await createReader();
  for (const { path } of [listRequirementHistory, listFrameworkHistory])
    for (const id of ['nobody', '__proto__', 'constructor', "nis2'--", '%F0%9F%98%80'])
      expect(await reader.get(path.replace('{id}', id)), id).toMatchObject({ status: 404, code: 'NOT_FOUND' });
});

const weeks = [
  { takenAt: '2026-09-07T03:00:00Z', period: '2026-W36', status: failing },
  { takenAt: '2026-09-14T03:00:00Z', period: '2026-W37', status: excepted, late: true },
  { takenAt: '2026-09-21T03:00:00Z', period: '2026-W38', status: failing },
];

test('two dates are compared by the newest snapshots at or before them', async () => {
  const reader = await createReader(...weeks);
  const compare = async (from: string, to: string) =>
    (await reader.get(changesPath, { from, to, framework: 'nis2,dora' })).body.data;
  const better = await compare('2026-09-13', '2026-09-20');
  getComplianceChanges.record.strict().parse(better);
  expect(better).toMatchObject({
    before: { takenAt: '2026-09-07T03:00:00.000Z', snapshot: { period: '2026-W36', late: false } },
    after: { takenAt: '2026-09-14T03:00:00.000Z', snapshot: { period: '2026-W37', late: true } },
    limitations: [expect.stringContaining('2026-W37')],
    limitationsPl: [
      expect.stringMatching(/^Migawkę odpowiadającą parametrowi to wykonano dopiero .* za tydzień 2026-W37/),
    ],
  });
  expect(better.frameworks.map(({ framework }: { framework: string }) => framework)).toEqual(['nis2', 'dora']);
  expect(better.frameworks[0]).toMatchObject({
    improved: [{ key: mfa, from: { status: 'not_met' }, to: { status: 'met' }, metric: { before: 81.5, after: 90 } }],
    regressed: [],
  });
  const worse = await compare('2026-09-14T03:00:00Z', '2026-09-21T03:00:00Z');
  expect(worse.frameworks[0]).toMatchObject({ improved: [], regressed: [{ key: mfa }] });
  const same = await compare('2026-09-08', '2026-09-09');
  expect(same).toMatchObject({
    frameworks: [{ improved: [], regressed: [] }, {}],
    limitations: [expect.stringContaining('same snapshot')],
    limitationsPl: [expect.stringContaining('ta sama migawka')],
  });
});

test('a date before the first snapshot is unknown, and compares with nothing', async () => {
  const reader = await createReader(...weeks);
  const { data } = (await reader.get(changesPath, { from: '2026-02-01', to: '2026-09-20' })).body;
  expect(data).toMatchObject({ before: null, after: { snapshot: { period: '2026-W37' } } });
  for (const one of data.frameworks) expect(one).toMatchObject({ baseline: null, improved: [], delta: null });
  expect(data.limitations[0]).toContain('No snapshot was taken at or before from');
  const neither = (await reader.get(changesPath, { from: '2026-02-01', to: '2026-03-01' })).body.data;
  expect(neither).toMatchObject({ before: null, after: null, frameworks: [] });
  const early = (await reader.get(changesPath, { from: '2025-02-01', to: '2026-03-01' })).body.data;
  expect(early.limitations[0]).toContain('before this tenant was connected');
  expect(early.limitationsPl[0]).toContain('przed podłączeniem organizacji');
});

test('without dates the present status is compared with the last snapshot', async () => {
  const reader = await createReader(...weeks);
  const { data } = (await reader.get(changesPath)).body;
  expect(data).toMatchObject({
    before: { snapshot: { period: '2026-W38' } },
    after: { snapshot: null, catalogueVersion: failing.catalogueVersion },
  });
  expect(data.frameworks).toHaveLength(11);
  // No source of this tenant reports: what was evaluated lost its evidence.
  const nis2 = data.frameworks.find(({ framework }: { framework: string }) => framework === 'nis2');
  expect(nis2.lostEvidence.map(({ key }: { key: string }) => key)).toContain(mfa);
  const upTo = (await reader.get(changesPath, { to: '2026-09-15' })).body.data;
  expect([upTo.before.snapshot.period, upTo.after.snapshot.period]).toEqual(['2026-W36', '2026-W37']);
  const empty = (await (await createReader()).get(changesPath)).body.data;
  expect(empty).toMatchObject({ before: null, after: { snapshot: null } });
});

test('dates in the wrong order, before the connection or in the future are refused', async () => {
  const reader = await createReader(...weeks);
  for (const [parameters, parameter] of [
    [{ from: '2026-09-20', to: '2026-09-19' }, 'from'],
    [{ from: '2200-01-01' }, 'from'],
    [{ from: '2200-01-01', to: '2200-02-01' }, 'from'],
    [{ to: '2025-12-31' }, 'to'],
    [{ from: 'yesterday' }, 'from'],
    [{ framework: 'nonsense' }, 'framework'],
  ] as const)
    expect(await reader.get(changesPath, parameters), JSON.stringify(parameters)).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
      body: { error: { details: [{ parameter }] } },
    });
});

test('histories and comparisons require the scope evidence:read', async () => {
  const reader = product.reader(await product.createTenant(), ['logs:read']);
  for (const path of [requirementPath, frameworkPath, changesPath])
    expect(await reader.get(path)).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' });
});
