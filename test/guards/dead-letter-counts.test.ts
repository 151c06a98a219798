import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';

let database: TestDatabase;
let superuser: pg.Client;

const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client(url);
  await client.connect();
  return client;
};

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = await connect(database.superuser);
});
afterAll(async () => {
  await superuser?.end();
  await database?.[Symbol.asyncDispose]();
});

const group = 'tenant_id, topic, format, reason, state';

/** The numbers of dead letters by group: as they are counted, and as they are. */
async function readCounts(schema: string): Promise<{ counted: unknown[]; stored: unknown[] }> {
  const { rows: counted } = await superuser.query(
    `select ${group}, sum(amount)::int as number from ${schema}.dead_letter_count group by ${group} having sum(amount) <> 0 order by ${group}`,
  );
  const { rows: stored } = await superuser.query(
    `select ${group}, count(*)::int as number from ${schema}.dead_letter group by ${group} order by ${group}`,
  );
  return { counted, stored };
}

/** A statement on random dead letters, as ingestion, an operator, retention or an erasure executes it. */
function createStatement(schema: string, random: () => number): string {
  const choose = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
  const rows = 1 + Math.floor(random() * 20);
  const some = `(select id from ${schema}.dead_letter order by id offset ${Math.floor(random() * 50)} limit ${rows} for update skip locked)`;
  const messageId = randomUUID();
  const reason = `(array['INVALID_JSON', 'MISSING_ACTION', 'UNKNOWN_TENANT'])[1 + n % 3]`;
  const insert = `with message as (insert into ${schema}.dead_letter_message (id, topic, partition, "offset", headers) values ('${messageId}', 't', 0, 0, '[]') returning id)
     insert into ${schema}.dead_letter (id, message_id, element, topic, tenant_id, reason, stage, detail, format, worker_version, dead_lettered_at)
     select gen_random_uuid(), id, n, '${choose(['one', 'other'])}', case when n % 4 > 0 then '${choose(tenants)}'::uuid end, ${reason}, 'decode', '', ${choose(["'okta.system-log'", 'null'])}, '1',
            now() - make_interval(mins => n * 7) from message, generate_series(1, ${rows}) n`;
  return choose([
    insert,
    insert,
    insert,
    `update ${schema}.dead_letter set state = '${choose(['pending', 'replayed', 'settled', 'discarded'])}' where id in ${some}`,
    `update ${schema}.dead_letter set reason = 'INVALID_JSON', tenant_id = '${choose(tenants)}', state = 'pending' where id in ${some}`,
    `update ${schema}.dead_letter set replays = replays + 1 where id in ${some}`,
    `delete from ${schema}.dead_letter where id in ${some}`,
    `delete from ${schema}.dead_letter_message where id = (select message_id from ${schema}.dead_letter order by id offset ${Math.floor(random() * 50)} limit 1)`,
  ]);
}
const tenants = [randomUUID(), randomUUID()];

test.each(['models', 'control'])(
  'counts of %s are those of the dead letters, whatever several processes write while others sum them',
  async (schema) => {
    const writers = await Promise.all([1, 2, 3].map(() => connect(database.superuser)));
    const summers = await Promise.all([1, 2].map(() => connect(database.roles.ingest)));
    let isWriting = true;
    let failures = 0;
    const write = async (client: pg.Client) => {
      for (let number = 0; number < 150; number += 1)
        // Two that delete the same message may be ended by the database: their transaction counts for nothing.
        await client.query(createStatement(schema, Math.random)).catch((error: pg.DatabaseError) => {
          if (error.code !== '40P01') throw error;
          failures += 1;
        });
    };
    const sum = async (client: pg.Client) => {
      while (isWriting) await client.query(`select ${schema}.sum_dead_letter_counts()`);
    };
    const summing = summers.map(sum);
    await Promise.all(writers.map(write)).finally(() => {
      isWriting = false;
    });
    await Promise.all(summing);
    await Promise.all([...writers, ...summers].map((client) => client.end()));
    expect(failures).toBeLessThan(100);
    const { counted, stored } = await readCounts(schema);
    expect(stored.length).toBeGreaterThan(10);
    expect(counted).toEqual(stored);

    await superuser.query(`select ${schema}.sum_dead_letter_counts()`);
    expect((await readCounts(schema)).counted).toEqual(stored);
    // One row for each group and hour, with times between the first and the last one of that hour.
    const { rows } = await superuser.query(
      `select ${group}, hour, count(*)::int as rows, sum(amount)::int as number, bool_and(first_at <= last_at and hour = date_trunc('hour', first_at, 'UTC')) as timed
         from ${schema}.dead_letter_count group by ${group}, hour having count(*) > 1 or sum(amount) <= 0 or not bool_and(first_at <= last_at and hour = date_trunc('hour', first_at, 'UTC'))`,
    );
    expect(rows).toEqual([]);
  },
);

test('no login of a process can change a count', async () => {
  for (const role of ['ingest', 'admin', 'console'] as const) {
    const client = await connect(database.roles[role]);
    for (const statement of ['delete from', 'insert into'])
      await expect(
        client.query(`${statement} models.dead_letter_count ${statement === 'insert into' ? 'default values' : ''}`),
      ).rejects.toThrow('permission denied');
    await client.end();
  }
});
