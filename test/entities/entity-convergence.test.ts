import { createRemoval, mergeEntity, readRecords, type StoredPart } from '@tenantscope/intake';
import { readErrorCode } from '@tenantscope/store/connection';
import { type EntityChange, type StateOutcome, writeEntityChanges } from '@tenantscope/store/ingest';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deletionMessage, entityMessage, sourceMessage } from '../installation/entity-messages.ts';
import { type RecordMessage, recordMessage } from '../installation/feed-records.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';
import { isLong } from '../torture/random.ts';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.roles.ingest);
});
afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});

const tenantId = '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80';

/** One statement about an agent from one of its sources. */
interface Statement {
  readonly number: number;
  readonly version: number;
  readonly rival: number;
  readonly by: 'domain' | 'deletion' | 'store' | 'risk' | 'accountable';
}

const statement = fc.record({
  number: fc.nat(1),
  version: fc.integer({ min: 1, max: 3 }),
  rival: fc.nat(1),
  by: fc.constantFrom<Statement['by'][]>('domain', 'deletion', 'store', 'risk', 'accountable'),
});

const dayOf = (version: number): string => new Date(Date.UTC(2026, 10, version)).toISOString();

function toChange({ number, version, rival, by }: Statement): EntityChange {
  const id = `agent-${number}`;
  const key = { kind: 'agent', id };
  const at = dayOf(version);
  const messages: Record<Statement['by'], () => RecordMessage> = {
    domain: () =>
      entityMessage('agent', tenantId, id, version, { displayName: `D${rival}`, kind: 'bot', appId: `a${rival}` }),
    deletion: () => {
      const message = deletionMessage('agent', tenantId, id, version);
      const payload = { ...JSON.parse(String(message.value)), reason: `${rival}` };
      return { ...message, value: Buffer.from(JSON.stringify(payload)) };
    },
    store: () =>
      sourceMessage('graph.copilotPackage', tenantId, key, {
        id: `P${rival}`,
        displayName: 'S',
        lastModifiedDateTime: at,
      }),
    risk: () =>
      sourceMessage('graph.riskyAgent', tenantId, key, {
        id,
        riskLevel: rival ? 'high' : 'low',
        riskLastModifiedDateTime: at,
      }),
    accountable: () =>
      recordMessage('entity.accountable.upserted', {
        ...{ id: 'a', tenantId, version, changedAt: at },
        ...{ subject: { type: 'agent', id }, userId: `u${rival}` },
      }),
  };
  const nowMs = Date.UTC(2026, 10, 4); // after the last version
  const context = { findTenant: () => ({ azureTenantId: null }), nowMs, maxValueBytes: 1e6, onlyElement: null };
  const topic = by === 'store' || by === 'risk' ? 'rawEntity' : 'entity';
  const [outcome] = readRecords(topic, messages[by]() as never, context);
  if (outcome?.kind === 'part') return outcome.part;
  if (outcome?.kind === 'removed' && outcome.table === 'entity') return createRemoval(outcome);
  throw new Error(JSON.stringify(outcome));
}

/** All statements, some repeated, in any order, split into batches that two lanes write at the same time. */
function deliveryOf(sayings: readonly Statement[]): fc.Arbitrary<Statement[][]> {
  return fc.subarray([...sayings]).chain((again) => {
    const all = [...sayings, ...again];
    const order = fc.shuffledSubarray(all, { minLength: all.length });
    return fc
      .tuple(order, fc.integer({ min: 1, max: 6 }))
      .map(([shuffled, size]) =>
        Array.from({ length: Math.ceil(shuffled.length / size) }, (_, at) =>
          shuffled.slice(at * size, (at + 1) * size),
        ),
      );
  });
}

const merge = (kind: EntityChange['entityKind'], parts: readonly EntityChange[]) =>
  mergeEntity(kind, parts as readonly StoredPart[]);

async function write(changes: readonly EntityChange[], stamp: () => string): Promise<StateOutcome[]> {
  for (;;) {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const outcomes = await writeEntityChanges(client, changes, stamp, merge);
      await client.query('commit');
      return outcomes;
    } catch (error) {
      await client.query('rollback');
      if (readErrorCode(error) !== '40P01') throw error;
    } finally {
      client.release();
    }
  }
}

/** The served entities and their aliases, without the write times and since when a state is known: that depends on the order, since a state after a newer one is not stored. */
async function deliver(batches: readonly Statement[][]): Promise<unknown> {
  await emptyTables();
  let stampMs = Date.UTC(2026, 10, 21);
  const lanes = [0, 1].map(async (which) => {
    for (const batch of batches.filter((_, index) => index % 2 === which))
      await write(batch.map(toChange), () => new Date(stampMs++).toISOString());
  });
  for (const ended of await Promise.allSettled(lanes)) if (ended.status === 'rejected') throw ended.reason;
  const { rows } = await pool.query(
    'select id, version, digest, detail, is_deleted from models.entity_agent order by id',
  );
  const aliases = await pool.query('select id, alias from models.entity_alias order by id, alias');
  const counted = await pool.query(
    `select id, is_deleted, facts - '{firstSeenAt,outSince,riskSince}'::text[] as facts from models.entity_fact order by id`,
  );
  const { rows: risks } = await pool.query<{ since: string; updated: string }>(
    `select facts ->> 'riskSince' as since, facts ->> 'riskUpdatedAt' as updated from models.entity_fact where facts ? 'riskSince'`,
  );
  const times = new Set(
    batches.flat().flatMap(({ by, rival, version }) => (by === 'risk' && rival === 1 ? [dayOf(version)] : [])),
  );
  for (const { since, updated } of risks) {
    expect(times, 'a high risk begins at a time that was reported for one').toContain(since);
    expect(since <= updated, `${since} is not after ${updated}`).toBe(true);
  }
  const stamps = /"(?:updatedAt|firstSeenAt)":"[^"]*"/g;
  return {
    rows: rows.map((row) => ({ ...row, detail: row.detail.replace(stamps, '') })),
    aliases: aliases.rows,
    counted: counted.rows,
  };
}

/** The product deletes none of these rows, so no login of it may. */
async function emptyTables(): Promise<void> {
  const owner = new pg.Client(database.superuser);
  await owner.connect();
  await owner.query('truncate models.entity_part, models.entity_agent, models.entity_alias, models.entity_fact');
  await owner.end();
}

const twoDeliveries = fc
  .uniqueArray(statement, {
    minLength: 1,
    maxLength: 16,
    comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
  })
  .chain((sayings) => fc.tuple(deliveryOf(sayings), deliveryOf(sayings)));

test('entities converge for every order of parts, versions and deletions', async () => {
  await fc.assert(
    fc.asyncProperty(twoDeliveries, async ([first, second]) => {
      expect(await deliver(first)).toEqual(await deliver(second));
    }),
    { numRuns: isLong ? 100 : 30 },
  );
});

test('the lesser of a state and a removal of one version is a conflict, also in a separate batch', async () => {
  const state = toChange({ number: 0, version: 2, rival: 0, by: 'domain' });
  const removal = toChange({ number: 0, version: 2, rival: 0, by: 'deletion' });
  const [lesser, greater] = [state, removal].toSorted((a, b) => Buffer.compare(a.digest, b.digest)) as [
    EntityChange,
    EntityChange,
  ];
  const stamp = () => new Date(Date.UTC(2026, 10, 21)).toISOString();
  await emptyTables();
  expect(await write([greater, lesser], stamp)).toEqual(['applied', 'conflict']);
  await emptyTables();
  expect([await write([greater], stamp), await write([lesser], stamp)]).toEqual([['applied'], ['conflict']]);
  // A contradiction of another version is none.
  const later = toChange({ number: 0, version: 3, rival: 0, by: 'deletion' });
  expect(await write([later], stamp)).toEqual(['applied']);
});
