import { randomUUID } from 'node:crypto';
import {
  findRequirement,
  type ReportTemplate,
  readFindings,
  readStatusInSnapshot,
  renderReport,
  reportTemplates,
  requirementCatalogue,
  sectionReaders,
} from '@tenantscope/compliance';
import { readCopilotExposure, readLogHistory, readVendorScores } from '@tenantscope/store/compliance';
import type { PoolClient } from '@tenantscope/store/connection';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sealPartition } from '../api/sealed-log.ts';
import { openTestPool } from '../services/pool.ts';
import * as events from './events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from './fact-database.ts';
import { readAllFindings, requirementsWithFindings } from './finding-counts.ts';
import * as input from './input-records.ts';

let facts: FactDatabase;
beforeAll(async () => {
  facts = await openFactDatabase();
}, 60_000);
afterAll(() => facts?.[Symbol.asyncDispose]());

const nowMs = Date.UTC(2026, 5, 15, 12, 34, 56);
const { dayMs, hourMs } = input;
const connectedAtMs = nowMs - 200 * dayMs;
const restrictedFile = '3f8a1c52-7e4b-4d19-9c06-1b2a3c4d5e6f';
const microsoftFeeds = requirementsWithFindings.flatMap(({ feeds }) => feeds?.microsoft?.flat() ?? []);
const sources = new Set([...requirementCatalogue.flatMap((one) => one.sources), ...microsoftFeeds]);

/** A few rows that rules and sections show, among others that they do not. */
async function createTenant(others: number): Promise<string> {
  const tenantId = newTenantId();
  const managed = { IsManagedDevice: true, DeviceId: 'laptop' };
  const open = (file: string, who: string, ms: number, more = {}) =>
    events.fileEvent('FileAccessed', file, who, ms, { ...managed, ...more });
  await facts.ingest(tenantId, nowMs, [
    ...Array.from(sources, (source) => input.sourceStatus(source, nowMs)),
    input.user('anna'),
    input.user('leo', { accountEnabled: false, disabledAt: input.at(nowMs - 20 * dayMs) }),
    input.agent('sales'),
    input.file(restrictedFile, { sensitiveInfoTypes: [{ id: 'iban', name: 'IBAN' }] }),
    input.restriction('r1', 'iban', 'noAccess', nowMs - 25 * dayMs),
    open(restrictedFile, 'anna', nowMs - 5 * dayMs),
    open(restrictedFile, 'anna', nowMs - 6 * dayMs),
    open('plan', 'leo', nowMs - 3 * dayMs),
    open('plan', 'leo', nowMs - 3 * dayMs + hourMs),
    open('plan', 'anna', nowMs - 4 * dayMs, { IsManagedDevice: false }),
    open('plan', 'anna', nowMs - 4 * dayMs + hourMs, { IsManagedDevice: null, DeviceId: null }),
    events.interaction('anna', nowMs - dayMs, { agentId: 'sales', resources: [{ Id: restrictedFile }] }),
    ...Array.from({ length: others }, (_, index) =>
      open(randomUUID(), 'anna', Math.floor(nowMs - ((index + 1) * 29 * dayMs) / (others + 1))),
    ),
  ]);
  return tenantId;
}

/** Rows of the log that a document reads, as the server counts them in its transaction. */
async function countRowsRead(tenantId: string, read: (client: PoolClient) => Promise<unknown>): Promise<number> {
  return facts.read(tenantId, async (client) => {
    // A worker's counts are not the transaction's.
    await client.query('set local max_parallel_workers_per_gather = 0');
    const before = await readCount(client);
    await read(client);
    return (await readCount(client)) - before;
  });
}

/** Of statements of the connection whose counts it has not reported. */
async function readCount(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ rows: number }>(
    `select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::float8 as rows from pg_stat_xact_user_tables
        where schemaname = 'models' and relname ~ '^audit_log_'`,
  );
  return rows[0]?.rows ?? Number.NaN;
}

function listDocuments(tenantId: string): (readonly [name: string, read: (client: PoolClient) => Promise<unknown>])[] {
  const instant = { tenantId, connectedAtMs, nowMs };
  const reading = (client: PoolClient, days: number) => ({
    client,
    tenantId,
    fromMs: nowMs - days * dayMs,
    toMs: nowMs,
    storedThroughMs: nowMs,
  });
  return [
    ['status, readiness and score', (client) => readStatusInSnapshot(client, instant)],
    ['readiness', (client) => readCopilotExposure(client, { tenantId, nowMs, limit: 50 })],
    ['score', (client) => readVendorScores(client, { tenantId, nowMs, sinceMs: nowMs - 90 * dayMs })],
    ['pack, metadata', (client) => readLogHistory(client, tenantId, nowMs)],
    ...sectionReaders.map(
      ({ key, read }) =>
        [`pack, ${key}`, (client: PoolClient) => read(reading(client, 183), { after: null, limit: 1_000 })] as const,
    ),
    ...reportTemplates
      .filter(({ id }) => id !== 'incident-timeline')
      .map(
        (template) =>
          [
            `report ${template.id}`,
            (client: PoolClient) =>
              renderReport(
                {
                  ...reading(client, 90),
                  connectedAtMs,
                  timeZone: 'UTC',
                  lang: 'en',
                  framework: takesFramework(template) ? 'nis2' : null,
                  incidentId: null,
                },
                {
                  template,
                  tenant: { id: tenantId, name: 'Contoso' },
                  parameters: { lang: 'en' },
                  generatedAtMs: nowMs,
                  generatedBy: 'a test',
                },
              ),
          ] as const,
      ),
    ...requirementsWithFindings.map(
      ({ key }) => [`findings of ${key}`, (client: PoolClient) => readFirstFindings(client, instant, key)] as const,
    ),
  ];
}

const takesFramework = ({ parameters }: ReportTemplate) => parameters.some(({ name }) => name === 'framework');

async function readFirstFindings(
  client: PoolClient,
  instant: { tenantId: string; connectedAtMs: number; nowMs: number },
  key: string,
): ReturnType<typeof readFindings> {
  const requirement = findRequirement(key);
  if (requirement === null) throw new Error(`no requirement ${key}`);
  return readFindings(client, { ...instant, requirement, states: null, after: null, limit: 50 });
}

const requirementsOfLog = ['iam.leavers.activity', 'dev.unmanaged_access', 'ai.data.restriction_no_access_violations'];

test('the first page of findings has the few rows of the log among many', async () => {
  const tenantId = await createTenant(300);
  const find = (key: string) =>
    facts.read(tenantId, (client) => readFirstFindings(client, { tenantId, connectedAtMs, nowMs }, key));
  const numbers: Record<string, unknown> = {};
  for (const key of requirementsOfLog) {
    const { findings, note } = await find(key);
    numbers[key] = note ?? findings.length;
  }
  expect(numbers).toEqual({
    'iam.leavers.activity': 2,
    // The interaction reports no device.
    'dev.unmanaged_access': 3,
    'ai.data.restriction_no_access_violations': 3,
  });
});

test('no document, no section of a pack and no page of findings reads more rows of the log when it has ten times as many', async () => {
  const counts: Record<string, number[]> = {};
  for (const others of [200, 2_000]) {
    const tenantId = await createTenant(others);
    const all = await countRowsRead(tenantId, (client) =>
      client.query('select count(occurred_at) from models.audit_log where tenant_id = $1', [tenantId]),
    );
    expect(all).toBeGreaterThanOrEqual(others);
    for (const [name, read] of listDocuments(tenantId)) {
      const rows = await countRowsRead(tenantId, read);
      counts[name] = [...(counts[name] ?? []), rows];
    }
  }
  const growing = Object.entries(counts).filter(([, [small = 0, large = 0]]) => large > 60 || large > small + 20);
  expect(growing).toEqual([]);
}, 240_000);

test('a page of excepted findings reads no more rows of the log when most findings are not excepted', async () => {
  const tenantId = newTenantId();
  const key = 'dev.unmanaged_access';
  const access = Array.from({ length: 2_000 }, (_, index) =>
    events.fileEvent('FileAccessed', randomUUID(), 'anna', nowMs - (index + 1) * 600_000, { IsManagedDevice: false }),
  );
  await facts.ingest(tenantId, nowMs, [
    ...Array.from(sources, (source) => input.sourceStatus(source, nowMs)),
    ...access,
  ]);
  const query = { tenantId, connectedAtMs, nowMs };
  const { findings } = await facts.read(tenantId, (client) => readFirstFindings(client, query, key));
  const subjectIds = [findings[20]?.subjectId, findings[40]?.subjectId];
  await facts.ingest(tenantId, nowMs, [input.exception('some', key, nowMs, { subjectIds })]);
  const requirement = findRequirement(key);
  if (requirement === null) throw new Error(`no requirement ${key}`);
  const read = (client: PoolClient, after: readonly string[] | null = null) =>
    readFindings(client, { ...query, requirement, states: ['excepted'], after, limit: 1 });
  const first = await facts.read(tenantId, (client) => read(client));
  expect(first).toMatchObject({ findings: [{ subjectId: subjectIds[0] }], hasMore: true });
  const last = await facts.read(tenantId, (client) => read(client, first.last));
  expect(last).toMatchObject({ findings: [{ subjectId: subjectIds[1] }], hasMore: false });
  expect(await countRowsRead(tenantId, (client) => read(client, first.last))).toBeLessThan(60);
});

test('documents, sections of packs and pages of findings are the same when all rows of the log are sealed', async () => {
  const tenantId = await createTenant(300);
  const readAll = async () => {
    const read = new Map<string, unknown>();
    for (const [name, readDocument] of listDocuments(tenantId))
      read.set(name, await facts.read(tenantId, readDocument));
    for (const key of requirementsOfLog)
      for (const limit of [1, 2])
        read.set(
          `${key} by ${limit}`,
          await facts.read(tenantId, (client) =>
            readAllFindings(client, { tenantId, connectedAtMs, nowMs }, key, limit),
          ),
        );
    return read;
  };
  const before = await readAll();
  expect(before.get('iam.leavers.activity by 1')).toMatchObject([
    { subjectName: expect.any(String) },
    { subjectName: expect.any(String) },
  ]);
  const superuser = openTestPool(facts.database.superuser, { max: 1 });
  try {
    await sealPartition(superuser, facts.database.roles.ingest, 'audit_log_history');
    const { rows } = await superuser.query('select from models.audit_log');
    expect(rows).toEqual([]);
  } finally {
    await superuser.end();
  }
  expect(await readAll()).toEqual(before);
}, 120_000);
