import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';

let database: TestDatabase;
let superuser: pg.Client;
let keys: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client(database.superuser);
  keys = new pg.Client(database.roles.keys);
  await Promise.all([superuser.connect(), keys.connect()]);
});
afterAll(async () => {
  await Promise.all([superuser?.end(), keys?.end()]);
  await database?.[Symbol.asyncDispose]();
});

async function createKey(): Promise<string> {
  const id = randomUUID();
  await superuser.query(
    `with organization as (insert into control.organization (id, name, digest) values ($1, 'Ours', '\\x00') returning id)
     insert into control.api_key (id, secret_sha256, display, name, scopes, organization_id) select $1, sha256($2::text::bytea), 'abcdefgh', 'Key', '{}', id from organization`,
    [id, id],
  );
  return id;
}

const addUsage = (keyId: string, usage: Record<string, unknown>) =>
  keys.query('select control.add_key_usage($1)', [
    JSON.stringify([
      {
        key_id: keyId,
        requests: 1,
        refused: 0,
        over_limit: 0,
        refused_after_end: 0,
        last_used_at: new Date(),
        ...usage,
      },
    ]),
  ]);

async function readUsage(keyId: string) {
  const { rows } = await superuser.query<{ requests: string; hours: string[]; days: string[]; is_future: boolean }>(
    `select u.requests, u.last_used_at > clock_timestamp() as is_future,
            array(select h.requests::text from control.api_key_usage_hour h where h.key_id = u.key_id order by h.at) as hours,
            array(select d.requests::text from control.api_key_usage_day d where d.key_id = u.key_id order by d.at) as days
       from control.api_key_usage u where u.key_id = $1`,
    [keyId],
  );
  return rows[0];
}

test('a future time counts as now and deletes no history', async () => {
  const key = await createKey();
  await addUsage(key, { requests: 3, last_used_at: new Date(Date.now() - 26 * 3_600_000) });
  await addUsage(key, { requests: 4, last_used_at: '2999-01-01T00:00:00Z' });
  await addUsage(key, { requests: 5, last_used_at: 'infinity' });
  const usage = await readUsage(key);
  expect(usage).toMatchObject({ requests: '12', is_future: false });
  expect(usage?.hours[0]).toBe('3');
  expect(usage?.hours.slice(1).reduce((sum, count) => sum + Number(count), 0)).toBe(9);
  expect(usage?.days[0]).toBe('3');
});

test('a time of the distant past counts as two days ago, so that it creates no rows of past years', async () => {
  const key = await createKey();
  for (const last_used_at of ['1999-01-01T00:00:00Z', '-infinity', '2001-05-05T05:05:05Z'])
    await addUsage(key, { last_used_at });
  const { rows } = await superuser.query(
    `select from control.api_key_usage_hour where key_id = $1 and at < clock_timestamp() - interval '50 hours'`,
    [key],
  );
  expect(rows).toEqual([]);
  expect(await readUsage(key)).toMatchObject({ requests: '3' });
});

test.each(['requests', 'refused', 'over_limit', 'refused_after_end'])(
  'a count of %s that is negative or absurd is refused, and later usage still counts',
  async (column) => {
    const key = await createKey();
    await addUsage(key, {});
    for (const count of [-1, 1_000_000_001, Number.MAX_SAFE_INTEGER, 1e30])
      await expect(addUsage(key, { [column]: count }), `${count}`).rejects.toThrow(/counts of usage must be from 0 to/);
    await addUsage(key, { requests: 2 });
    expect(await readUsage(key)).toMatchObject({ requests: '3' });
  },
);
