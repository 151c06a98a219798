import { mergeEntity, type StoredPart } from '@tenantscope/intake';
import {
  createPartCache,
  type EntityChange,
  type MergeParts,
  type PartCache,
  writeEntityChanges,
} from '@tenantscope/store/ingest';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
  await pool?.end();
  await database?.[Symbol.asyncDispose]();
});

const tenantId = '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80';
const grant = 'graph.oauth2permissiongrant';
const merge: MergeParts = (kind, parts) => mergeEntity(kind, parts as readonly StoredPart[]);

/** What a part of an app reports at a time: the app itself, or one of its grants. */
interface Report {
  readonly app: number;
  readonly grant: number | null;
  readonly version: number;
  readonly rival: number;
  readonly isRemoval: boolean;
}

const reports = fc.array(
  fc.record({
    app: fc.nat(1),
    grant: fc.option(fc.nat(6)),
    version: fc.integer({ min: 1, max: 4 }),
    rival: fc.nat(1),
    isRemoval: fc.boolean(),
  }),
  { minLength: 1, maxLength: 40 },
);

function toChange({ app, grant: number, version, rival, isRemoval }: Report): EntityChange {
  const permission = {
    ...{ value: `Files.${rival ? 'Read' : 'ReadWrite'}`, kind: 'delegated', resourceId: `r${version}`, resource: null },
    ...{ principalId: `u${(number ?? 0) % 3}`, adminConsented: rival === 1, tenantWide: rival === 1 },
  };
  return {
    tenantId,
    entityKind: 'app',
    id: `app-${app}`,
    part: number === null ? 'graph.serviceprincipal' : `${grant}:${number}`,
    isRemoval,
    version: baseMs + version,
    digest: Buffer.from([rival, Number(isRemoval)]),
    facts: isRemoval ? {} : number === null ? { displayName: `A${rival}` } : { permissions: [permission] },
    aliases: [],
    changedAtMs: baseMs + version,
  };
}

const baseMs = Date.UTC(2026, 10, 1);

/** Writes a batch; null where the transaction is rolled back. */
async function write(changes: readonly EntityChange[], cache?: PartCache, end: 'commit' | 'rollback' = 'commit') {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const outcomes = await writeEntityChanges(client, changes, () => new Date(stampMs++).toISOString(), merge, cache);
    await client.query(end);
    return outcomes;
  } finally {
    client.release();
  }
}

let stampMs = Date.UTC(2026, 10, 21);

async function readRows(): Promise<unknown> {
  const { rows } = await pool.query(
    `select e.id, e.version, e.digest, e.is_deleted, e.detail, f.facts - 'firstSeenAt' as facts
       from models.entity_app e join models.entity_fact f using (tenant_id, id) order by e.id`,
  );
  const stamps = /"(?:updatedAt|firstSeenAt)":"[^"]*"/g;
  return rows.map((row) => ({ ...row, detail: row.detail.replace(stamps, '') }));
}

/** The product deletes none of these rows, so no login of it may. */
async function asOwner(statement: string): Promise<void> {
  const owner = new pg.Client(database.superuser);
  await owner.connect();
  await owner.query(statement);
  await owner.end();
}
const emptyTables = () =>
  asOwner('truncate models.entity_part, models.entity_app, models.entity_alias, models.entity_fact');

const batches = fc.array(
  fc.record({ reports, by: fc.constantFrom('first', 'second', 'uncached'), isLost: fc.boolean() }),
  { minLength: 1, maxLength: 8 },
);

test('processes that cache parts write what a process writes that reads them all, in any order, with repetitions and lost transactions', async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (given) => {
      const caches = { first: createPartCache({ minParts: 1 }), second: createPartCache({ minParts: 1 }) };
      await emptyTables();
      const outcomes = [];
      for (const { reports: some, by, isLost } of given) {
        const cache = by === 'uncached' ? undefined : caches[by as 'first' | 'second'];
        const changes = some.map(toChange);
        if (isLost) await write(changes, cache, 'rollback');
        outcomes.push(await write(changes, cache));
      }
      const cached = await readRows();
      await emptyTables();
      const expected = [];
      for (const { reports: some } of given) expected.push(await write(some.map(toChange)));
      expect(cached).toEqual(await readRows());
      expect(outcomes).toEqual(expected);
    }),
    { numRuns: isLong ? 200 : 30 },
  );
});

const app = (change: Partial<Report> = {}) =>
  toChange({ app: 0, grant: null, version: 1, rival: 0, isRemoval: false, ...change });
const grants = (count: number, change: Partial<Report> = {}) =>
  Array.from({ length: count }, (_, number) => app({ grant: number, ...change }));

test('a batch reads the parts that it brings, and not the others of its entity', async () => {
  await emptyTables();
  const cache = createPartCache();
  await write([app(), ...grants(1_000)], cache);
  const read = async (changes: readonly EntityChange[]) => {
    const client = await pool.connect();
    let count = 0;
    const counting = new Proxy(client, {
      get: (target, name) =>
        name === 'query'
          ? async (text: string, values?: unknown[]) => {
              const result = await target.query<{ part?: string }>(text, values);
              count += result.rows.filter(({ part }) => part !== undefined).length;
              return result;
            }
          : Reflect.get(target, name),
    });
    try {
      await client.query('begin');
      await writeEntityChanges(counting, changes, () => new Date(stampMs++).toISOString(), merge, cache);
      await client.query('commit');
      return count;
    } finally {
      client.release();
    }
  };
  expect(await read([app({ grant: 7, version: 2 })])).toBe(1);
  expect(await read(grants(20, { version: 3 }))).toBe(20);
  // Another process changes the app.
  await write([app({ grant: 8, version: 4 })]);
  expect(await read([app({ grant: 7, version: 4 })])).toBe(1_001);
});

test('a version that an operator set back is compared, although the other parts are cached', async () => {
  await emptyTables();
  const cache = createPartCache({ minParts: 1 });
  await write([app(), ...grants(3), app({ grant: 1, version: 4 })], cache);
  const before = await readVersion();
  await asOwner(`update models.entity_part set version = 1, digest = '' where part = '${grant}:1'`);
  expect(await write([app({ grant: 1, version: 2 })], cache)).toEqual(['applied']);
  expect(await readVersion()).toBeGreaterThan(before);
  await write([app({ grant: 1, version: 3 })]);
  expect(await readVersion()).toBeGreaterThan(before + 1);
});

test('the version of an entity with very many parts is a whole number that JSON can represent, and increases with each state', async () => {
  await emptyTables();
  await write([app(), ...grants(4_900)]);
  const versions = [await readVersion()];
  for (let step = 0; step < 4; step++) {
    const more = { length: 200 };
    await write(Array.from(more, (_, number) => app({ grant: 5_000 + step * 200 + number })));
    versions.push(await readVersion());
    await write([app({ version: 2 + step })]);
    versions.push(await readVersion());
  }
  expect(versions.every(Number.isSafeInteger)).toBe(true);
  expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b));
  // As an earlier version of the service has stored it.
  await asOwner('update models.entity_app set version = 17001700049992648');
  await write([app({ grant: 3, version: 4 })]);
  expect(await readVersion()).toBeGreaterThan(versions.at(-1) as number);
  expect(Number.isSafeInteger(await readVersion())).toBe(true);
});

async function readVersion(): Promise<number> {
  const { rows } = await pool.query('select version, document from models.entity_app');
  expect(JSON.parse(rows[0].document)).toMatchObject({ version: Number(rows[0].version) });
  return Number(rows[0].version);
}
