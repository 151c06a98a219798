import { randomUUID } from 'node:crypto';
import { joinMemberLines, lineMembers } from '@tenantscope/contract';
import { type AuditLogRow, backfillLogTally } from '@tenantscope/store/ingest';
import fc from 'fast-check';
import pg from 'pg';
import { expect, test } from 'vitest';
import { logRow, writeRows } from '../installation/lane-writer.ts';
import { openLaneFixture } from './lane-fixture.ts';
import { arbitraryDeliveries } from './log-deliveries.ts';
import { digestName } from './name-digest.ts';

const { database, lanes, superuser } = await openLaneFixture({ partitions: 3 });

const dayMs = 86_400_000;

/** Names in several scripts and in two cases, with separators and quotes, longer than an index entry. */
const hostileName = fc.constantFrom(
  'F1',
  'f1',
  'https://contoso.example/Źródła/ŻÓŁW.xlsx',
  'https://contoso.example/źródła/żółw.xlsx',
  'İΣ',
  `a'b"c\\d\te, {f}`,
  'x'.repeat(3_000),
  '💡',
  '',
);
const optionalName = fc.option(hostileName, { nil: null });
const resource = fc.record({ id: optionalName, name: optionalName, siteUrl: optionalName });

const arbitraryRow = fc.record({
  delayMs: fc.oneof(fc.integer({ min: -dayMs, max: dayMs }), fc.integer({ min: 0, max: 800 * dayMs })),
  action: fc.constantFrom('fileaccessed', 'view', 'filedownloaded', 'filemodified', 'userloggedin'),
  resourceId: optionalName,
  actorId: optionalName,
  actorType: fc.option(fc.constantFrom('user', 'guest', 'system', 'agent'), { nil: null }),
  applicationId: optionalName,
  applicationClientId: optionalName,
  interaction: fc.option(
    fc.record({
      agentId: optionalName,
      clientId: optionalName,
      appHost: optionalName,
      isExternal: fc.boolean(),
      resources: fc.array(resource, { maxLength: 3 }),
    }),
    { nil: null },
  ),
});
type ArbitraryRow = typeof arbitraryRow extends fc.Arbitrary<infer Value> ? Value : never;

const withoutNulls = (_: string, value: unknown) => (value === null ? undefined : value);

function createRow(
  tenantId: string,
  nowMs: number,
  { delayMs, interaction, applicationClientId: client, ...columns }: ArbitraryRow,
): AuditLogRow {
  const created = logRow(tenantId, { occurredAtMs: nowMs - delayMs, ...columns });
  const lines = { action: '"FileAccessed"', applicationClientId: client === null ? '' : JSON.stringify(client) };
  const memberLines = joinMemberLines(
    lineMembers.map((name) => (name in lines ? lines[name as keyof typeof lines] : '')),
  );
  const row = { ...created, memberLines };
  if (interaction === null) return row;
  const { agentId, clientId } = interaction;
  const facts = JSON.stringify({ ...interaction, actorType: columns.actorType }, withoutNulls);
  const fact = {
    ...{ kind: 'aiInteraction', agentId, agentName: null, clientId, appHost: null, event: null },
    ...{ actorId: columns.actorId, facts },
  };
  return { ...row, facts: [fact] };
}

/** Rows of two tenants, in batches for three lanes. */
const deliveries = arbitraryDeliveries(arbitraryRow, { maxLength: 20 });

const columns = `log_id as "logId", discovered_at as "discoveredAt", occurred_at as "occurredAt", is_interaction as "isInteraction",
  is_external as "isExternal", actor_id as "actorId", actor_type as "actorType", application_id as "applicationId", agent_id as "agentId", app_host as "appHost"`;

async function readReads(tenantIds: readonly string[]): Promise<string[]> {
  const { rows } = await superuser.query(
    `select tenant_id as "tenantId", name_digest as digest, ${columns} from models.log_read where tenant_id = any($1)`,
    [tenantIds],
  );
  return rows.map(toComparable).sort();
}

const toComparable = (read: object): string => JSON.stringify(Object.entries(read).toSorted());

const clientIdLine = lineMembers.indexOf('applicationClientId') + 1;

/** The same from the rows and facts that are stored. */
async function recount(tenantIds: readonly string[]): Promise<string[]> {
  const log = await superuser.query(
    `select tenant_id as "tenantId", id as "logId", discovered_at as "discoveredAt", occurred_at as "occurredAt", resource_id as name,
            actor_id as "actorId", actor_type as "actorType",
            coalesce(application_id, nullif(split_part(member_lines, chr(10), ${clientIdLine}), '')::json #>> '{}') as "applicationId"
       from models.audit_log where tenant_id = any($1) and action in ('fileaccessed', 'filedownloaded', 'view') and resource_id is not null`,
    [tenantIds],
  );
  const facts = await superuser.query(
    `select tenant_id as "tenantId", log_id as "logId", discovered_at as "discoveredAt", occurred_at as "occurredAt", actor_id as "actorId", agent_id as "agentId", facts
       from models.log_fact where tenant_id = any($1)`,
    [tenantIds],
  );
  const ofRows = log.rows.map(({ name, ...row }) => ({
    ...row,
    digest: digestName(name),
    isInteraction: false,
    isExternal: false,
    agentId: null,
    appHost: null,
  }));
  const ofFacts = facts.rows.flatMap(({ facts: members, ...row }) => {
    const { actorType = null, clientId = null, appHost = null, isExternal, resources } = members;
    const names = (resources as { id?: string; name?: string; siteUrl?: string }[]).flatMap(({ id, name, siteUrl }) =>
      [id ?? name, siteUrl].flatMap((one) => (one === undefined ? [] : [digestName(one)])),
    );
    const reader = { actorType, applicationId: clientId, appHost, isInteraction: true, isExternal };
    return [...new Set(names)].map((name) => ({ ...row, ...reader, digest: name }));
  });
  return [...ofRows, ...ofFacts].map(toComparable).sort();
}

test('reads of files are those of the stored rows for every order of delivery, with duplicates and late rows', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(deliveries, async ({ rows, order, size }) => {
      const tenantIds = [randomUUID(), randomUUID()];
      const nowMs = Date.now();
      const created = rows.map((row, index) => createRow(tenantIds[index % 2] as string, nowMs, row));
      for (let at = 0; at < order.length; at += size)
        await writeRows(
          lanes,
          (at / size) % 3,
          order.slice(at, at + size).map((index) => created[index] as AuditLogRow),
        );
      const expected = await recount(tenantIds);
      expect(await readReads(tenantIds)).toEqual(expected);
      found += expected.length;
    }),
    { numRuns: 30 },
  );
  expect(found).toBeGreaterThan(100);
}, 120_000);

test('a batch that is rolled back has no reads, and the same batch has each once when it is written again', async () => {
  const tenantId = randomUUID();
  const rows = Array.from({ length: 5 }, () => logRow(tenantId, { resourceId: 'f1' }));
  const rejected = lanes.write(0, rows, {
    beforeCommit: async () => {
      throw new Error('killed');
    },
  });
  await expect(rejected).rejects.toThrow('killed');
  expect(await readReads([tenantId])).toEqual([]);
  await writeRows(lanes, 0, rows);
  expect(await readReads([tenantId])).toHaveLength(5);
});

test('a backfill of reads that is killed within a step has each read once', async () => {
  const tenantIds = [randomUUID(), randomUUID()];
  const sample = fc.sample(arbitraryRow, { numRuns: 120, seed: 7 });
  const nowMs = Date.now();
  const rows = sample.map((row, index) => createRow(tenantIds[index % 2] as string, nowMs, row));
  await writeRows(lanes, 0, rows.slice(0, 60));
  await superuser.query('delete from models.log_read where tenant_id = any($1)', [tenantIds]);
  // What other tests wrote has its reads.
  const others = await superuser.query('delete from models.log_read returning 1');
  expect(others.rowCount).toBeGreaterThan(0);
  await superuser.query(`select models.begin_log_tally_backfill('read')`);
  await writeRows(lanes, 1, rows.slice(60));
  expect(await endWithinStep()).toBe('killed');
  while (await backfillLogTally(lanes.ledger.pool));
  const expected = await recount(tenantIds);
  expect(expected.length).toBeGreaterThan(50);
  expect(await readReads(tenantIds)).toEqual(expected);
  await superuser.query('delete from models.log_tally_backfill');
}, 120_000);

/** The step that has rows waits for a partition, and its connection is ended there. */
async function endWithinStep(): Promise<string> {
  const blocker = new pg.Client(database.superuser);
  await blocker.connect();
  try {
    await blocker.query('begin; lock table models.log_read in share mode');
    const steps = async () => {
      while (await backfillLogTally(lanes.ledger.pool));
      return 'finished';
    };
    const ended = steps().catch(() => 'killed');
    for (let attempt = 0; attempt < 1_500; attempt++) {
      const { rowCount } = await superuser.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like 'copy models.log_read%'`,
      );
      if (rowCount !== null && rowCount > 0) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await blocker.query('rollback');
    return await ended;
  } finally {
    await blocker.end();
  }
}

test('reads are deleted with the month of their time, after the last row of it', async () => {
  const tenantId = randomUUID();
  await writeRows(lanes, 0, [logRow(tenantId, { resourceId: 'f1' })]);
  await writeRows(lanes, 0, [logRow(tenantId, { resourceId: 'f1', occurredAtMs: Date.now() - 300 * dayMs })]);
  expect(await readReads([tenantId])).toHaveLength(2);
  await superuser.query(`update models.retention set retention_days = 183 where feed = 'logs'`);
  await lanes.partitionCache.refresh();
  expect(await readReads([tenantId])).toHaveLength(2);
  await superuser.query(`update models.retention set dropped_before = now() + interval '1 day' where feed = 'logs'`);
  await lanes.partitionCache.refresh();
  expect(await readReads([tenantId])).toHaveLength(1);
});
