import { randomUUID } from 'node:crypto';
import { type LogRow, readActivity } from '@tenantscope/intake';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { type LaneWriter, openLaneWriter, writeRows } from '../installation/lane-writer.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';

let database: TestDatabase;
let lanes: LaneWriter;
let behindWalls: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  lanes = await openLaneWriter(database, { partitions: 2 });
  behindWalls = new pg.Client(database.superuser);
  await behindWalls.connect();
});
afterAll(async () => {
  await behindWalls.end();
  await lanes[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const interaction = (number: number) => ({
  Operation: 'CopilotInteraction',
  RecordType: 261,
  Workload: 'Copilot',
  AgentId: `agent-${number % 3}`,
  CopilotEventData: { AppHost: 'Word', Messages: [{ JailbreakDetected: number % 2 === 0 }] },
});

/** The record with this number, always the same: every second one is an AI interaction. */
function rowOf(tenantId: string, number: number): LogRow {
  const record = { ...activityRecord(number, { Id: `id-${number}` }), ...(number % 2 ? interaction(number) : {}) };
  const message = activityMessage(tenantId, record);
  const [outcome] = readActivity(
    { ...message, key: Buffer.from(message.key) },
    {
      findTenant: () => ({ azureTenantId: null }),
      nowMs: Date.UTC(2026, 10, 21),
      maxValueBytes: 1e6,
      onlyElement: null,
    },
  );
  if (outcome?.kind !== 'log') throw new Error(JSON.stringify(outcome));
  return outcome.row;
}

const factsOf = async (tenantId: string) =>
  (
    await behindWalls.query<{ log_id: string; kind: string; agent_id: string; facts: unknown; of_the_row: boolean }>(
      `select f.log_id, f.kind, f.agent_id, f.facts, f.discovered_at = l.discovered_at and f.occurred_at = l.occurred_at as of_the_row
         from models.log_fact f left join models.audit_log l on l.tenant_id = f.tenant_id and l.id = f.log_id
        where f.tenant_id = $1 order by f.log_id`,
      [tenantId],
    )
  ).rows;

const statusOf = async (tenantId: string) =>
  (
    await behindWalls.query<{ source: string; rows: number; last_occurred_at: Date; last_discovered_at: Date }>(
      'select source, row_count::int as rows, last_occurred_at, last_discovered_at from models.source_status where tenant_id = $1 order by source',
      [tenantId],
    )
  ).rows;

const numbers = fc.uniqueArray(fc.nat(40), { minLength: 1, maxLength: 20 });

/** All numbers, some repeated, in any order, split into batches that two lanes write at the same time. */
const deliveryOf = (all: readonly number[]): fc.Arbitrary<readonly (readonly number[])[]> =>
  fc.subarray([...all]).chain((again) => {
    const deliveries = [...all, ...again];
    return fc
      .tuple(fc.shuffledSubarray(deliveries, { minLength: deliveries.length }), fc.integer({ min: 1, max: 7 }))
      .map(([order, size]) =>
        Array.from({ length: Math.ceil(order.length / size) }, (_, at) => order.slice(at * size, (at + 1) * size)),
      );
  });

test('each row has its facts once with its own stamp for every order of delivery', async () => {
  await fc.assert(
    fc.asyncProperty(
      numbers.chain((all) => fc.record({ all: fc.constant(all), batches: deliveryOf(all) })),
      async ({ all, batches }) => {
        const tenantId = randomUUID();
        const lane = async (partition: number) => {
          for (const [index, batch] of batches.entries())
            if (index % 2 === partition)
              await writeRows(
                lanes,
                partition,
                batch.map((number) => rowOf(tenantId, number)),
              );
        };
        for (const ended of await Promise.allSettled([lane(0), lane(1)]))
          if (ended.status === 'rejected') throw ended.reason;
        const expected = all
          .filter((number) => number % 2 === 1)
          .map((number) => {
            const { id, facts } = rowOf(tenantId, number);
            return { log_id: id, ...facts[0] };
          })
          .toSorted((a, b) => (a.log_id < b.log_id ? -1 : 1));
        expect(await factsOf(tenantId)).toEqual(
          expected.map(({ log_id, kind, agentId, facts }) => ({
            log_id,
            kind,
            agent_id: agentId,
            facts: JSON.parse(facts ?? ''),
            of_the_row: true,
          })),
        );
        const [logs] = (await statusOf(tenantId)).filter(({ source }) => source === 'logs');
        expect(logs?.rows).toBe(all.length);
      },
    ),
    { numRuns: 25 },
  );
});

test('progress is stored for the log and each of its feeds, and redelivery changes nothing', async () => {
  const tenantId = randomUUID();
  await writeRows(
    lanes,
    0,
    [0, 1, 2, 3].map((number) => rowOf(tenantId, number)),
  );
  await writeRows(lanes, 1, [rowOf(tenantId, 8)]);
  const { rows: stamps } = await behindWalls.query<{ newest: Date }>(
    'select max(discovered_at) as newest from models.audit_log where tenant_id = $1',
    [tenantId],
  );
  const before = await statusOf(tenantId);
  const occurred = (number: number) => new Date(rowOf(tenantId, number).occurredAtMs);
  expect(before).toEqual([
    { source: 'logs', rows: 5, last_occurred_at: occurred(8), last_discovered_at: stamps[0]?.newest },
    expect.objectContaining({ source: 'logs/Audit.General', rows: 2, last_occurred_at: occurred(3) }),
    expect.objectContaining({ source: 'logs/Audit.SharePoint', rows: 3, last_occurred_at: occurred(8) }),
  ]);
  await writeRows(
    lanes,
    1,
    [0, 1, 2, 3, 8].map((number) => rowOf(tenantId, number)),
  );
  expect(await statusOf(tenantId)).toEqual(before);
});

test('categories that are not listed are counted by name, and the newest batch decides', async () => {
  const tenantId = randomUUID();
  const unlisted = (number: number, isUnlisted: boolean) => ({
    ...rowOf(tenantId, number),
    sourceName: 'NewLogs',
    isUnlisted,
  });
  const counted = async () =>
    (
      await behindWalls.query<{ source: string; rows: number; is_unlisted: boolean }>(
        'select source, row_count::int as rows, is_unlisted from models.source_status where tenant_id = $1 order by source',
        [tenantId],
      )
    ).rows.map(({ source, rows, is_unlisted }) => [source, rows, is_unlisted]);
  await writeRows(lanes, 0, [unlisted(0, true), unlisted(2, true), rowOf(tenantId, 4)]);
  await writeRows(lanes, 0, [unlisted(2, true)]);
  await writeRows(lanes, 1, [unlisted(6, true)]);
  expect(await counted()).toContainEqual(['logs/NewLogs', 3, true]);
  expect(await counted()).toContainEqual(['logs', 4, false]);
  expect((await counted()).filter(([, , isUnlisted]) => isUnlisted)).toHaveLength(1);
  await writeRows(lanes, 1, [unlisted(8, false)]);
  expect(await counted()).toContainEqual(['logs/NewLogs', 4, false]);
});

test('a feed with an invalid name is counted with the log only', async () => {
  const tenantId = randomUUID();
  await writeRows(lanes, 0, [{ ...rowOf(tenantId, 0), sourceName: `drive'); drop ${'x'.repeat(100)}` }]);
  expect(await statusOf(tenantId)).toEqual([expect.objectContaining({ source: 'logs', rows: 1 })]);
});

describe('tenant isolation', () => {
  test.each([
    ...['log_fact', 'interaction_fact', 'derived_interaction', 'source_progress', 'source_status', 'entity_fact'],
    'compliance_record',
  ])('%s shows only the named tenant', async (table) => {
    const [one, other] = [randomUUID(), randomUUID()];
    for (const tenantId of [one, other]) await writeRows(lanes, 0, [rowOf(tenantId, 1)]);
    await behindWalls.query(
      `insert into models.entity_fact select tenant_id, 'user', 'u', false, now(), '{}' from unnest($1::uuid[]) as tenant_id`,
      [[one, other]],
    );
    await behindWalls.query(
      `insert into models.compliance_record (tenant_id, id, version, digest, updated_at, changed_at, kind, record_id, document)
         select tenant_id, 'policy/p', 1, '', now(), now(), 'policy', 'p', '{"payload":{}}' from unnest($1::uuid[]) as tenant_id`,
      [[one, other]],
    );
    for (const url of [database.roles.api, database.roles.jobs]) {
      const reader = new pg.Client(url);
      await reader.connect();
      try {
        await expect(reader.query(`select from models.${table}`)).rejects.toThrow(/tenantscope\.tenant/);
        await reader.query(`select set_config('tenantscope.tenant', $1, false)`, [one]);
        const { rows } = await reader.query<{ tenant_id: string }>(`select distinct tenant_id from models.${table}`);
        expect(rows).toEqual([{ tenant_id: one }]);
      } finally {
        await reader.end();
      }
    }
  });
});

test('facts are deleted when retention drops their rows, and not before', async () => {
  const tenantId = randomUUID();
  await writeRows(
    lanes,
    0,
    [1, 3].map((number) => rowOf(tenantId, number)),
  );
  const [young, old] = await factsOf(tenantId);
  await behindWalls.query(`update models.log_fact set discovered_at = '2025-01-01T00:00:00Z' where log_id = $1`, [
    old?.log_id,
  ]);
  await lanes.partitionCache.refresh();
  expect(await factsOf(tenantId)).toHaveLength(2);
  await behindWalls.query(
    `update models.retention set dropped_before = '2025-01-01T00:00:00.001Z' where feed = 'logs'`,
  );
  await lanes.partitionCache.refresh();
  expect((await factsOf(tenantId)).map(({ log_id }) => log_id)).toEqual([young?.log_id]);
});
