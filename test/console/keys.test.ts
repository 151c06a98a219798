import { scopes } from '@tenantscope/contract';
import { hashSecret } from '@tenantscope/store/api-key';
import { keyTestAgent } from '@tenantscope/store/console';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleClient, createTestConsole, type TestConsole } from './test-console.ts';

let running: TestConsole;
let superuser: pg.Client;
let admin: ConsoleClient;

beforeAll(async () => {
  running = await createTestConsole();
  superuser = new pg.Client(running.database.superuser);
  await superuser.connect();
  admin = await running.signIn('admin');
});
afterAll(async () => {
  await superuser?.end();
  await running?.[Symbol.asyncDispose]();
});

const inADay = () => new Date(Date.now() + 86_400_000).toISOString();
const create = (more: object = {}, by = admin) =>
  by.request('POST', '/console/api/keys', {
    name: 'Poller',
    tenantId: running.tenantIds[0],
    scopes: ['logs:read'],
    expiresAt: inADay(),
    ...more,
  });

test('a key is created with the chosen properties, and its secret is in this response only', async () => {
  const created = await create();
  expect(created.status).toBe(200);
  const { key, secret } = created.body;
  expect(key).toMatchObject({
    name: 'Poller',
    tenantName: 'First',
    scopes: ['logs:read'],
    kind: 'api',
    revokedAt: null,
  });
  expect(key.createdBy).toBe(`member:${admin.memberId}`);
  const { rows } = await superuser.query('select 1 from control.api_key where secret_sha256 = $1', [
    hashSecret(secret),
  ]);
  expect(rows).toHaveLength(1);
  for (const path of ['/keys', `/keys/${key.id}`, '/audit', '/audit/export'])
    expect((await admin.request('GET', `/console/api${path}`)).text, path).not.toContain(secret);
  const { rows: all } = await superuser.query(
    'select (select jsonb_agg(to_jsonb(e)) from control.admin_event e)::text as events',
  );
  expect(all[0].events).not.toContain(secret);
});

test.each<[string, object, number]>([
  ['an unknown tenant', { tenantId: '00000000-0000-4000-8000-000000000000' }, 400],
  ['an unknown scope', { scopes: ['logs:write'] }, 400],
  ['an expiry in the past', { expiresAt: '2020-01-01' }, 400],
  ['an unknown property', { kind: 'playground' }, 400],
  ['an unknown key to replace', { replaces: '00000000-0000-4000-8000-000000000000' }, 404],
])('a new key with %s is refused', async (_, more, status) => {
  expect((await create(more)).status).toBe(status);
});

test('creating a key that reads everything, of the organization or of a tenant, requires recent re-authentication', async () => {
  const late = await running.signIn('admin');
  await superuser.query(
    `update control.console_session set authenticated_at = clock_timestamp() - interval '16 minutes' where member_id = $1`,
    [late.memberId],
  );
  expect((await create({ tenantId: null }, late)).body.error.code).toBe('REAUTHENTICATE');
  // The former name of a scope does not make the difference.
  const everyScope = [...scopes.filter((scope) => scope !== 'policy-scans:read'), 'monitoring-alerts:read'];
  for (const all of [[...scopes], everyScope])
    expect((await create({ scopes: all }, late)).body.error.code).toBe('REAUTHENTICATE');
  expect((await create({}, late)).status).toBe(200);
  expect((await create({ scopes: scopes.slice(1) }, late)).status).toBe(200);
  expect((await create({ tenantId: null })).body.key).toMatchObject({ tenantId: null });
});

test('a member with access to some tenants creates and sees only their keys', async () => {
  const some = await running.signIn('admin', [running.tenantIds[1] as string]);
  expect((await create({}, some)).status).toBe(400);
  expect((await create({ tenantId: null }, some)).status).toBe(400);
  const own = await create({ tenantId: running.tenantIds[1] }, some);
  expect(own.status).toBe(200);
  const foreign = await create();
  const listed = await some.request('GET', '/console/api/keys');
  expect(listed.body.keys.map(({ id }: { id: string }) => id)).toEqual([own.body.key.id]);
  expect((await some.request('GET', `/console/api/keys/${foreign.body.key.id}`)).status).toBe(404);
  expect((await some.request('POST', `/console/api/keys/${foreign.body.key.id}/revoke`)).status).toBe(404);
});

test('revocation is immediate, requires no re-authentication and cannot be undone', async () => {
  const { key } = (await create()).body;
  const late = await running.signIn('admin');
  await superuser.query(
    `update control.console_session set authenticated_at = clock_timestamp() - interval '16 minutes' where member_id = $1`,
    [late.memberId],
  );
  const revoked = await late.request('POST', `/console/api/keys/${key.id}/revoke`);
  expect(revoked.body.key.revokedAt).toBeTypeOf('string');
  const again = await late.request('POST', `/console/api/keys/${key.id}/revoke`);
  expect(again.body.key.revokedAt).toBe(revoked.body.key.revokedAt);
  const back = await admin.request('PATCH', `/console/api/keys/${key.id}`, { expiresAt: inADay() });
  expect(back).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining('A key that has ended cannot be reactivated') } },
  });
  const { body } = await admin.request('GET', '/console/api/keys?view=ended');
  expect(body.keys.map(({ id }: { id: string }) => id)).toContain(key.id);
});

test('a key replaces another one, which can expire on its own, and each refers to the other', async () => {
  const old = (await create({ name: 'Old', expiresAt: null })).body.key;
  const created = await create({ name: 'Old, replacement', replaces: old.id, oldKeyEndsAt: inADay() });
  expect(created.body.key.replaces).toBe(old.id);
  const shown = await admin.request('GET', `/console/api/keys/${created.body.key.id}`);
  expect(shown.body.replaced).toMatchObject({ id: old.id, replacedBy: created.body.key.id });
  expect(shown.body.replaced.expiresAt).toBeTypeOf('string');
});

test('the database refuses a longer lifetime than the organization allows and names the limit', async () => {
  await superuser.query('update control.organization set key_lifetime_days = 30');
  try {
    const refused = await create({ expiresAt: null });
    expect(refused).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining('30 days') } } });
  } finally {
    await superuser.query('update control.organization set key_lifetime_days = null');
  }
});

test('the counts of views equal the keys that they list', async () => {
  const soon = await create({ name: 'Soon', expiresAt: inADay() });
  await create({ name: 'Never', expiresAt: null });
  const { body: active } = await admin.request('GET', '/console/api/keys?view=active');
  for (const [view, count] of Object.entries(active.counts)) {
    const { body } = await admin.request('GET', `/console/api/keys?view=${view}`);
    expect(body.keys, view).toHaveLength(count as number);
  }
  const { body: expiring } = await admin.request('GET', '/console/api/keys?view=expiring');
  expect(expiring.keys.map(({ id }: { id: string }) => id)).toContain(soon.body.key.id);
  expect(expiring.keys.map(({ name }: { name: string }) => name)).not.toContain('Never');
  expect((await admin.request('GET', '/console/api/keys?view=sideways')).status).toBe(400);
});

test('keys of the playground are listed for 30 days, and found by their id afterwards', async () => {
  const count = async () => (await admin.request('GET', '/console/api/keys?view=playground')).body;
  const before = await count();
  await superuser.query('set session_replication_role = replica');
  const { rows } = await superuser.query<{ id: string }>(
    `insert into control.api_key (secret_sha256, display, name, scopes, tenant_id, kind, created_at, expires_at)
     select sha256(convert_to('playground ' || days, 'UTF8')), 'Play00' || days, 'Run of ' || days, '{logs:read}', $1, 'playground', at, at + interval '15 minutes'
       from unnest('{29,31}'::int[]) days, lateral (select clock_timestamp() - make_interval(days => days)) t (at) order by days returning id`,
    [running.tenantIds[0]],
  );
  await superuser.query('set session_replication_role = default');
  const after = await count();
  expect(after.counts.playground).toBe(before.counts.playground + 1);
  expect(after.keys.map(({ name }: { name: string }) => name)).toContain('Run of 29');
  expect(after.keys.map(({ name }: { name: string }) => name)).not.toContain('Run of 31');
  expect((await admin.request('GET', `/console/api/keys/${rows[1]?.id}`)).body.key.name).toBe('Run of 31');
});

test('ten thousand keys are listed by pages of a hundred with their use, each key once, and found by a filter', async () => {
  // Without an audit event of each.
  await superuser.query('set session_replication_role = replica');
  await superuser.query(
    `insert into control.api_key (secret_sha256, display, name, scopes, tenant_id, created_at)
     select sha256(convert_to('one of many ' || n, 'UTF8')), 'Many' || lpad(n::text, 4, '0'), 'Poller ' || n, '{logs:read}', $1,
            clock_timestamp() - case when n < 500 then interval '31 days' else interval '0' end
       from generate_series(0, 9999) n`,
    [running.tenantIds[0]],
  );
  await superuser.query(
    `insert into control.api_key_usage_day (key_id, at, requests, refused, over_limit, refused_after_end, last_used_at)
     select k.id, date_trunc('day', clock_timestamp(), 'UTC') - make_interval(days => d), 1000 + d, 0, 0, 0, clock_timestamp() - make_interval(days => d)
       from control.api_key k, generate_series(0, 13) d where k.name like 'Poller %'`,
  );
  const first = await admin.request('GET', '/console/api/keys');
  expect(first.status).toBe(200);
  expect(first.body.keys).toHaveLength(100);
  expect(first.body.keys[0].days).toHaveLength(14);
  expect(first.text.length).toBeLessThan(150_000);
  const names = new Set<string>();
  let pages = 0;
  for (let cursor = ''; pages === 0 || cursor !== ''; pages += 1) {
    const { body } = await admin.request('GET', `/console/api/keys?view=unused&filter=poller%20&cursor=${cursor}`);
    for (const { name } of body.keys) names.add(name);
    cursor = body.nextCursor ?? '';
  }
  expect([names.size, pages]).toEqual([500, 5]);
  const { body: found } = await admin.request('GET', '/console/api/keys?filter=mAny9876');
  expect(found.keys.map(({ name }: { name: string }) => name)).toEqual(['Poller 9876']);
  expect(found.counts).toEqual(first.body.counts);
  const { body: every } = await admin.request('GET', '/console/api/key-names');
  expect(every.keys.filter(({ name }: { name: string }) => name.startsWith('Poller '))).toHaveLength(10_000);
  expect((await admin.request('GET', '/console/api/keys?cursor=one')).status).toBe(400);
  await superuser.query(
    `delete from control.api_key_usage_day d using control.api_key k where k.id = d.key_id and k.name like 'Poller %'`,
  );
  await superuser.query(`delete from control.api_key where name like 'Poller %'`);
  await superuser.query('set session_replication_role = default');
});

test('expiring and unused keys are counted to the second', async () => {
  const before = (await admin.request('GET', '/console/api/keys')).body.counts;
  const minuteMs = 60_000;
  const monthMs = 30 * 86_400_000;
  const created = new Map<string, string>();
  for (const name of ['ends soon', 'ends later', 'ended', 'silent', 'used', 'young'])
    created.set(name, (await create({ name, expiresAt: null })).body.key.id);
  const set = (name: string, column: string, ms: number) =>
    superuser.query(`update control.api_key set ${column} = $2 where id = $1`, [created.get(name), new Date(ms)]);
  const usedAt = (name: string, ms: number) =>
    superuser.query('insert into control.api_key_usage (key_id, requests, last_used_at) values ($1, 5, $2)', [
      created.get(name),
      new Date(ms),
    ]);
  const now = Date.now();
  await superuser.query('alter table control.api_key disable trigger user');
  for (const name of created.keys()) await set(name, 'created_at', now - 2 * monthMs);
  await set('ends soon', 'expires_at', now + monthMs - minuteMs);
  await set('ends later', 'expires_at', now + monthMs + minuteMs);
  await set('ended', 'expires_at', now - 1_000);
  await set('young', 'created_at', now - monthMs + minuteMs);
  await superuser.query('alter table control.api_key enable trigger user');
  for (const name of ['ends soon', 'ends later', 'used']) await usedAt(name, now - monthMs + minuteMs);
  await usedAt('silent', now - monthMs - minuteMs);
  const names = async (view: string) =>
    (await admin.request('GET', `/console/api/keys?view=${view}`)).body.keys
      .map(({ name }: { name: string }) => name)
      .filter((name: string) => created.has(name));
  expect(await names('expiring')).toEqual(['ends soon']);
  expect(await names('unused')).toEqual(['silent']);
  expect(await names('ended')).toEqual(['ended']);
  const after = (await admin.request('GET', '/console/api/keys')).body.counts;
  expect(after).toEqual({
    ...before,
    active: before.active + 5,
    expiring: before.expiring + 1,
    unused: before.unused + 1,
    ended: before.ended + 1,
  });
});

test("the console's own test of a key does not count as its use", async () => {
  const { id } = (await create({ name: 'Tested' })).body.key;
  const use = (requests: number, agent: string) =>
    superuser.query('select control.add_key_usage($1)', [
      JSON.stringify([
        {
          key_id: id,
          requests,
          refused: 0,
          over_limit: 0,
          refused_after_end: 0,
          last_used_at: new Date().toISOString(),
          last_address: '127.0.0.1',
          last_agent: agent,
        },
      ]),
    ]);
  const shown = async () => (await admin.request('GET', `/console/api/keys/${id}`)).body.key;
  await use(2, keyTestAgent);
  expect(await shown()).toMatchObject({ requests: 0, lastUsedAt: null, callers: [], days: [], hours: [] });
  await use(1, 'poller/1');
  expect(await shown()).toMatchObject({ requests: 3, callers: [{ agent: 'poller/1' }], days: [{ requests: 3 }] });
});

test('a request after the end of a key does not move its last use, and is shown with its client', async () => {
  const { id } = (await create({ name: 'Ended' })).body.key;
  const add = (entry: object) =>
    superuser.query('select control.add_key_usage($1)', [
      JSON.stringify([{ key_id: id, requests: 0, refused: 0, over_limit: 0, refused_after_end: 0, ...entry }]),
    ]);
  const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString();
  const [used, refused] = [at(2), at(1)];
  const use = { last_used_at: used, last_address: '10.0.0.1', last_agent: 'poller/1' };
  const refusal = { last_refused_at: refused, refused_address: '192.0.2.7', refused_agent: 'forgotten/1' };
  await add({ requests: 2, refused_after_end: 1, ...use, ...refusal });
  await add({ refused_after_end: 4, ...refusal });
  const { body } = await admin.request('GET', `/console/api/keys/${id}`);
  expect(body.key).toMatchObject({
    lastUsedAt: used,
    requests: 2,
    refusedAfterEnd: 5,
    callers: [{ address: '10.0.0.1', agent: 'poller/1', lastUsedAt: used }],
    rejectedCallers: [{ address: '192.0.2.7', agent: 'forgotten/1', lastUsedAt: refused }],
  });
  expect(body.key.callers).toHaveLength(1);
});

test('the expiry chosen for a replaced key never extends it', async () => {
  const soon = inADay();
  const old = (await create({ name: 'Ends anyway', expiresAt: soon })).body.key;
  const inAWeek = new Date(Date.now() + 7 * 86_400_000).toISOString();
  await create({ name: 'Next', replaces: old.id, oldKeyEndsAt: inAWeek });
  expect((await admin.request('GET', `/console/api/keys/${old.id}`)).body.key.expiresAt).toBe(soon);
});

test('a stale change of a key is refused, and the current key is returned', async () => {
  const { id, name, expiresAt } = (await create({ name: 'As seen' })).body.key;
  const change = (body: object) =>
    admin.request('PATCH', `/console/api/keys/${id}`, { ...body, expected: { name, expiresAt } });
  expect((await change({ name: 'First' })).body.key.name).toBe('First');
  expect(await change({ name: 'Second' })).toMatchObject({
    status: 409,
    body: { error: { code: 'CONFLICT', message: expect.stringContaining('it is now "First"') } },
  });
});

test('a stale change of the maximum key lifetime is refused', async () => {
  const change = (body: object) => admin.request('PATCH', '/console/api/organization', body);
  expect((await change({ keyLifetimeDays: 90, expected: null })).status).toBe(200);
  expect(await change({ keyLifetimeDays: 30, expected: null })).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining('The setting has changed since you opened it') } },
  });
  expect((await change({ keyLifetimeDays: null, expected: 90 })).status).toBe(200);
});
