import { randomUUID } from 'node:crypto';
import { type AuditLogRow, backfillLogTally } from '@tenantscope/store/ingest';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { logRow, writeRows } from '../installation/lane-writer.ts';
import { isLong } from '../torture/random.ts';
import { openLaneFixture } from './lane-fixture.ts';
import { arbitraryDeliveries } from './log-deliveries.ts';
import { digestName } from './name-digest.ts';

const { lanes, superuser } = await openLaneFixture({ partitions: 3 });

const dayMs = 86_400_000;
const hostileText = fc.constantFrom(
  'F1',
  'f1',
  'ŻÓŁW.xlsx',
  'żółw.xlsx',
  `a'b"c\\d\te, {f}`,
  'x'.repeat(3_000),
  '💡',
  '',
);
const optionalText = fc.option(hostileText, { nil: undefined });
const resource = fc.record({ id: optionalText, name: optionalText, labelId: optionalText });

const arbitraryFact = fc.record({
  delayMs: fc.oneof(fc.integer({ min: -dayMs, max: dayMs }), fc.integer({ min: 0, max: 800 * dayMs })),
  kind: fc.constantFrom('aiInteraction', 'aiInteraction', 'aiInteraction', 'agentLifecycle'),
  agentId: optionalText,
  actorId: optionalText,
  members: fc.record({
    agentName: optionalText,
    actorType: fc.option(fc.constantFrom('user', 'guest'), { nil: undefined }),
    isExternal: fc.constantFrom(true, false, undefined, 'true', null),
    action: optionalText,
    clientId: optionalText,
    resources: fc.oneof(
      fc.array(resource, { maxLength: 4 }),
      fc.constantFrom(undefined, null, {}, 'F1', [null, 5, 'F1', [], { id: 5 }]),
    ),
  }),
});
type ArbitraryFact = typeof arbitraryFact extends fc.Arbitrary<infer Value> ? Value : never;

function createRow(tenantId: string, nowMs: number, { delayMs, kind, members, ...of }: ArbitraryFact): AuditLogRow {
  const { agentId = null, actorId = null } = of;
  const fact = { kind, agentId, actorId, agentName: null, clientId: null, appHost: null, event: null };
  return {
    ...logRow(tenantId, { occurredAtMs: nowMs - delayMs, actorId }),
    facts: [{ ...fact, facts: JSON.stringify(members) }],
  };
}

/** Batches for three lanes, of rows of two tenants. */
async function writeDeliveries(created: readonly AuditLogRow[], order: readonly number[], size: number): Promise<void> {
  for (let at = 0; at < order.length; at += size)
    await writeRows(
      lanes,
      (at / size) % 3,
      order.slice(at, at + size).map((index) => created[index] as AuditLogRow),
    );
}

const columns =
  'tenant_id, log_id, occurred_at, discovered_at, agent_id, actor_id, agent_name, actor_type, is_external, action, client_id, opened, labeled';

async function readStored(tenantIds: readonly string[], relation = 'interaction_fact'): Promise<unknown[]> {
  const { rows } = await superuser.query(
    `select ${columns} from models.${relation} where tenant_id = any($1) order by tenant_id, log_id`,
    [tenantIds],
  );
  return rows;
}

/** The same from the facts, by another reading of them. */
async function recount(tenantIds: readonly string[]): Promise<unknown[]> {
  const { rows } = await superuser.query(
    `select tenant_id, log_id, occurred_at, discovered_at, agent_id, actor_id, facts from models.log_fact
      where tenant_id = any($1) and kind = 'aiInteraction' order by tenant_id, log_id`,
    [tenantIds],
  );
  return rows.map(({ facts, ...row }) => {
    const opened = listOpened(facts.resources);
    return {
      ...row,
      agent_name: facts.agentName ?? null,
      actor_type: facts.actorType ?? null,
      is_external: 'isExternal' in facts ? facts.isExternal === true : null,
      action: facts.action ?? null,
      client_id: facts.clientId ?? null,
      opened: digestNames(opened),
      labeled: digestNames(opened.filter(({ labelId }) => labelId !== undefined)),
    };
  });
}

interface Opened {
  readonly name: string;
  readonly labelId?: string;
}

const listOpened = (resources: unknown): Opened[] =>
  (Array.isArray(resources) ? resources : []).flatMap((one) => {
    const name = one?.id ?? one?.name;
    return name === undefined ? [] : [{ ...one, name: String(name) }];
  });

const digestNames = (opened: readonly Opened[]): string[] =>
  [...new Set(opened.map(({ name }) => digestName(name)))].sort();

test('rows of interactions are those of their facts for every order of delivery, with duplicates and facts of any shape', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(arbitraryDeliveries(arbitraryFact, { maxLength: 20 }), async ({ rows, order, size }) => {
      const tenantIds = [randomUUID(), randomUUID()];
      const nowMs = Date.now();
      await writeDeliveries(
        rows.map((row, index) => createRow(tenantIds[index % 2] as string, nowMs, row)),
        order,
        size,
      );
      const expected = await recount(tenantIds);
      expect(await readStored(tenantIds)).toEqual(expected);
      expect(await readStored(tenantIds, 'derived_interaction')).toEqual(expected);
      found += expected.length;
    }),
    { numRuns: isLong ? 300 : 40 },
  );
  expect(found).toBeGreaterThan(100);
}, 120_000);

test('interactions that are older than the table are added in steps, next to lanes that write and a process that is killed', async () => {
  const tenantIds = [randomUUID(), randomUUID()].sort();
  const nowMs = Date.now();
  const rows = fc
    .sample(arbitraryFact, { numRuns: 120, seed: 7 })
    .map((row, index) => createRow(tenantIds[index % 2] as string, nowMs, row));
  await setTriggers('disable');
  await writeRows(lanes, 0, rows.slice(0, 60));
  expect(await readStored(tenantIds)).toEqual([]);
  await setTriggers('enable');
  await beginBackfill();
  const older = await recount(tenantIds);
  expect(older.length).toBeGreaterThan(30);
  expect(await readStored(tenantIds, 'derived_interaction')).toEqual(older);
  // A step that is not committed has done nothing.
  const killed = await lanes.ledger.pool.connect();
  await killed.query('begin; select models.backfill_interaction_facts(7)');
  killed.release(new Error('killed'));
  const writing = [1, 2].map((lane) =>
    writeRows(
      lanes,
      lane,
      rows.slice(60).filter((_, at) => at % 2 === lane - 1),
    ),
  );
  for (let steps = 0; steps < 7; steps++) {
    await lanes.ledger.pool.query('select models.backfill_interaction_facts(7)');
    // Of one snapshot: the lanes go on.
    await superuser.query('begin isolation level repeatable read');
    expect(await readStored(tenantIds, 'derived_interaction')).toEqual(await recount(tenantIds));
    await superuser.query('commit');
  }
  await Promise.all(writing);
  while (await backfillLogTally(lanes.ledger.pool));
  const expected = await recount(tenantIds);
  expect(expected.length).toBeGreaterThan(60);
  expect(await readStored(tenantIds)).toEqual(expected);
  expect(await readStored(tenantIds, 'derived_interaction')).toEqual(expected);
  const position = await superuser.query(
    `delete from models.log_tally_backfill where tally = 'interaction_fact' returning next_at, next_key`,
  );
  expect(position.rows).toEqual([{ next_at: null, next_key: null }]);
}, 120_000);

test('no row is left of facts that are deleted while a step adds it', async () => {
  const tenantId = randomUUID();
  const [fact] = fc.sample(arbitraryFact, { numRuns: 1 }) as [ArbitraryFact];
  await setTriggers('disable');
  await writeRows(lanes, 0, [createRow(tenantId, Date.now(), { ...fact, kind: 'aiInteraction' })]);
  await setTriggers('enable');
  await beginBackfill(tenantId);
  const step = await lanes.ledger.pool.connect();
  await step.query('begin; select models.backfill_interaction_facts()');
  const deletion = superuser.query('delete from models.log_fact where tenant_id = $1', [tenantId]);
  await eventually('the deletion waits', 10_000, async () => {
    const { rows } = await lanes.ledger.pool.query(
      `select from pg_locks where not granted and locktype = 'transactionid'`,
    );
    return rows.length > 0;
  });
  await step.query('commit');
  step.release();
  await deletion;
  expect(await readStored([tenantId])).toEqual([]);
  await superuser.query(`delete from models.log_tally_backfill where tally = 'interaction_fact'`);
});

test('rows of interactions are deleted when retention drops their facts, and not before', async () => {
  const tenantId = randomUUID();
  const facts = fc.sample(arbitraryFact, { numRuns: 20, seed: 3 });
  await writeRows(
    lanes,
    0,
    facts.map((fact) => createRow(tenantId, Date.now(), { ...fact, kind: 'aiInteraction' })),
  );
  const stored = await readStored([tenantId]);
  expect(stored).toHaveLength(20);
  const [old] = stored as { log_id: string }[];
  await superuser.query(`update models.log_fact set discovered_at = '2025-01-01T00:00:00Z' where log_id = $1`, [
    old?.log_id,
  ]);
  await lanes.partitionCache.refresh();
  expect(await readStored([tenantId])).toHaveLength(20);
  await superuser.query(`update models.retention set dropped_before = '2025-01-01T00:00:00.001Z' where feed = 'logs'`);
  await lanes.partitionCache.refresh();
  expect(await readStored([tenantId])).toEqual(stored.slice(1));
});

/** Without them, as before the table existed. */
async function setTriggers(state: 'enable' | 'disable'): Promise<void> {
  for (const trigger of ['write_inserted_interaction_facts', 'delete_interaction_facts'])
    await superuser.query(`alter table models.log_fact ${state} trigger ${trigger}`);
}

const beginBackfill = (tenantId = '00000000-0000-0000-0000-000000000000') =>
  superuser.query(
    `insert into models.log_tally_backfill (tally, until_at, next_at, next_key) values ('interaction_fact', now(), now(), $1)`,
    [`${tenantId}/-infinity/00000000-0000-0000-0000-000000000000`],
  );
