import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';

let installation: Installation;
let inspector: pg.Client;

beforeAll(async () => {
  installation = await startInstallation();
  inspector = new pg.Client(installation.database.superuser);
  await inspector.connect();
});
afterAll(async () => {
  await inspector.end();
  await installation[Symbol.asyncDispose]();
});

const rowsOf = async (tenantId: string): Promise<{ id: string; discovered_at: Date; member_lines: string }[]> =>
  (
    await inspector.query(
      'select id, discovered_at, member_lines from models.audit_log where tenant_id = $1 order by discovered_at, id',
      [tenantId],
    )
  ).rows;

test('a record becomes one row and its redelivery changes nothing', async () => {
  await using ingest = await installation.startIngest();
  const { id } = await installation.createTenant();
  const messages = Array.from({ length: 500 }, (_, number) => activityMessage(id, activityRecord(number)));
  await installation.publisher.publish(installation.activityTopic, messages);
  await eventually('500 rows', 20_000, async () => (await rowsOf(id)).length === 500);
  const before = await rowsOf(id);
  await installation.publisher.publish(installation.activityTopic, messages.toReversed());
  const marker = activityMessage(id, activityRecord(9_999));
  await installation.publisher.publish(installation.activityTopic, [marker]);
  await eventually('the later record is stored', 20_000, async () => (await rowsOf(id)).length === 501);
  expect((await rowsOf(id)).slice(0, 500)).toEqual(before);
  expect(ingest.output()).not.toContain('"level":60');
});

/** What a promoted server lacks that had not received the last batches: their rows, and the positions after them. */
async function loseBatches(tenantId: string, positions: ReadonlyMap<number, number>): Promise<void> {
  const { rows: tables } = await inspector.query<{ name: string }>(
    `select format('%I.%I', 'models', relname) as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'models'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and a.attname = 'tenant_id'`,
  );
  await inspector.query(`begin; set local session_replication_role = replica`);
  for (const { name } of tables) await inspector.query(`delete from ${name} where tenant_id = $1`, [tenantId]);
  for (const [partition, offset] of positions)
    await inspector.query('update models.ingest_lane set next_offset = $1 where topic = $2 and partition = $3', [
      offset,
      installation.activityTopic,
      partition,
    ]);
  await inspector.query(`update models.ingest_epoch set timeline = 'of the lost primary'; commit`);
}

const readPositions = async (): Promise<Map<number, number>> => {
  const { rows } = await inspector.query<{ partition: number; offset: number }>(
    'select partition, next_offset::int as offset from models.ingest_lane where topic = $1',
    [installation.activityTopic],
  );
  return new Map(rows.map(({ partition, offset }) => [partition, offset]));
};

const agentsOf = async (tenantId: string) =>
  (await inspector.query('select id from models.entity_agent where tenant_id = $1', [tenantId])).rows;

test('what a promoted server has lost is read again, although no record follows', async () => {
  await using ingest = await installation.startIngest();
  const { id } = await installation.createTenant();
  await eventually('the lanes are known', 20_000, async () => (await readPositions()).size > 0);
  const positions = await readPositions();
  const interaction = activityRecord(100, {
    ...{ Operation: 'CopilotInteraction', RecordType: 261, Workload: 'Copilot' },
    ...{ AgentId: 'Bot-7', AgentName: 'Payroll helper', CopilotEventData: { AppHost: 'Teams', ThreadId: 't' } },
  });
  const records = [...Array.from({ length: 100 }, (_, number) => activityRecord(number)), interaction];
  await installation.publisher.publish(
    installation.activityTopic,
    records.map((record) => activityMessage(id, record)),
  );
  await eventually('the rows', 20_000, async () => (await rowsOf(id)).length === records.length);
  const [before, written] = [await rowsOf(id), await readPositions()];
  expect(await agentsOf(id)).toEqual([{ id: 'Bot-7' }]);

  await loseBatches(id, positions);
  expect(await rowsOf(id)).toEqual([]);
  await eventually('the rows are read again', 30_000, async () => (await rowsOf(id)).length === records.length);
  const again = await rowsOf(id);
  expect(again.map((row) => row.id).sort()).toEqual(before.map((row) => row.id).sort());
  // After all that the lost primary may have served.
  expect(again[0]?.discovered_at.getTime()).toBeGreaterThan(before.at(-1)?.discovered_at.getTime() ?? Infinity);
  expect(await agentsOf(id)).toEqual([{ id: 'Bot-7' }]);
  expect(await readPositions()).toEqual(written);
  expect(ingest.output()).toContain('the database lacks records that it had acknowledged');
});
