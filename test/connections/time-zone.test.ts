import { randomUUID } from 'node:crypto';
import { readFindingDays, readFindingPage } from '@tenantscope/store/compliance';
import { openPool, parseDatabaseUrl, withReadSnapshot } from '@tenantscope/store/connection';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { logRow, openLaneWriter, writeRows } from '../installation/lane-writer.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';

// In this zone the day of 2026-03-29 has 23 hours.
const zone = 'Europe/Warsaw';
const dayMs = 86_400_000;

let database: TestDatabase;
let inspector: DatabaseInspector;

beforeAll(async () => {
  database = await createTestDatabase();
  inspector = await openDatabaseInspector(database.superuser);
  const name = pg.escapeIdentifier(database.name);
  await inspector.client.query(`alter database ${name} set timezone = '${zone}'`);
  for (const role of ['owner', ...Object.keys(database.roles)])
    await inspector.client.query(`alter role tenantscope_${role} in database ${name} set timezone = '${zone}'`);
});
afterAll(async () => {
  await inspector?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

const openReadingPool = () => openPool(database.roles.api, { name: 'test', maxConnections: 1 });

test('connections of the product have the time zone UTC, whatever the server, the login and their URL have', async () => {
  const withOptions = (options: string) =>
    Object.assign(new URL(database.owner), { search: `?options=${options}` }).href;
  for (const url of [database.owner, withOptions(`-c timezone=${zone} -c work_mem=5MB`)]) {
    const client = new pg.Client(parseDatabaseUrl(url));
    await client.connect();
    try {
      const { rows } = await client.query(
        `select current_setting('timezone') as zone, current_setting('work_mem') as memory`,
      );
      expect(rows).toEqual([{ zone: 'UTC', memory: url === database.owner ? '4MB' : '5MB' }]);
    } finally {
      await client.end();
    }
  }
  const { connectionString } = parseDatabaseUrl('postgresql://owner@/models?host=/run/postgresql');
  expect(connectionString).toBe('postgresql://owner@/models?host=%2Frun%2Fpostgresql&options=-c+timezone%3DUTC');
});

test('activity of a leaver is found at its time, after a day of 23 hours too', async () => {
  await using lanes = await openLaneWriter(database, { partitions: 1 });
  const tenantId = randomUUID();
  await inspector.client.query(
    `insert into models.entity_fact (tenant_id, kind, id, is_deleted, updated_at, facts) values ($1, 'user', 'leo', false, now(), $2)`,
    [tenantId, JSON.stringify({ accountEnabled: false, disabledAt: '2026-04-04T09:30:00Z' })],
  );
  const occurredAtMs = Date.parse('2026-04-05T10:00:00Z');
  await writeRows(lanes, 0, [logRow(tenantId, { occurredAtMs, actorId: 'leo', actorType: 'user' })]);
  const pool = openReadingPool();
  try {
    const nowMs = Date.parse('2026-04-10T00:00:00Z');
    const of = { tenantId, nowMs, connectedAtMs: nowMs - 90 * dayMs, requirementKey: 'iam.leavers.activity' } as const;
    const { findings } = await withReadSnapshot(pool, tenantId, (client) =>
      readFindingPage(client, { ...of, states: null, coverings: [], after: null, limit: 3 }),
    );
    expect(findings).toMatchObject([{ subjectId: expect.any(String) }]);
  } finally {
    await pool.end();
  }
});

test('days of a report begin at midnight in UTC, after a day of 23 hours too', async () => {
  const tenantId = randomUUID();
  const pool = openReadingPool();
  try {
    const [fromMs, toMs] = [Date.parse('2026-03-27T12:00:00Z'), Date.parse('2026-04-01T00:00:00Z')];
    const days = await withReadSnapshot(pool, tenantId, (client) =>
      readFindingDays({ client, tenantId, fromMs, toMs, storedThroughMs: toMs }),
    );
    expect(days.map((day) => new Date(day.dayMs).toISOString())).toEqual(
      [27, 28, 29, 30, 31, 32].map((day) => new Date(Date.UTC(2026, 2, day)).toISOString()),
    );
  } finally {
    await pool.end();
  }
});

test('daily partitions begin at midnight in UTC, also those an operator creates in a session of another zone', async () => {
  const { client } = inspector;
  const { rows } = await client.query<{ through: Date }>(
    'select max(to_at) as through from models.audit_log_partition',
  );
  const through = (rows[0]?.through ?? new Date()).getTime();
  const change = findSpringChange(through);
  const setWidth = (days: number) =>
    client.query(`update models.retention set partition_width = make_interval(hours => $1)`, [days * 24]);
  const maintain = (aheadMs: number) =>
    client.query(
      `set timezone = '${zone}'; select models.maintain_log_partitions(${Math.ceil((aheadMs - Date.now()) / dayMs)})`,
    );
  // Partitions until a day before the change, as wide as a partition may be.
  for (let at = through; at < change - dayMs; ) {
    const width = Math.min(31, (change - dayMs - at) / dayMs);
    await setWidth(width);
    await maintain(at + 1);
    at += width * dayMs;
  }
  await client.query(`update models.retention set partition_width = interval '1 day'`);
  await maintain(change + 2 * dayMs);
  const { rows: daily } = await client.query(
    `select name, from_at as "fromAt", to_at as "toAt" from models.audit_log_partition where from_at >= $1 order by from_at limit 3`,
    [new Date(change - dayMs)],
  );
  expect(daily).toEqual(
    [-1, 0, 1].map((day) => {
      const [fromAt, toAt] = [new Date(change + day * dayMs), new Date(change + (day + 1) * dayMs)];
      return { name: `audit_log_${fromAt.toISOString().slice(0, 10).replaceAll('-', '')}`, fromAt, toAt };
    }),
  );
});

/** The first day of 23 hours after a time: the last Sunday of a March. */
function findSpringChange(afterMs: number): number {
  for (let year = new Date(afterMs).getUTCFullYear(); ; year++) {
    const last = new Date(Date.UTC(year, 2, 31));
    const sunday = last.getTime() - last.getUTCDay() * dayMs;
    if (sunday - 2 * dayMs > afterMs) return sunday;
  }
}
