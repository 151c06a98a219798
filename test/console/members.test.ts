import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ConsoleClient, createTestConsole, type TestConsole } from './test-console.ts';

let running: TestConsole;
let superuser: pg.Client;
let admin: ConsoleClient;

beforeAll(async () => {
  running = await createTestConsole();
  superuser = new pg.Client(running.database.superuser);
  await superuser.connect();
});
beforeEach(async () => {
  admin = await running.signIn('admin');
});
afterAll(async () => {
  await superuser?.end();
  await running?.[Symbol.asyncDispose]();
});

const change = ({ memberId }: ConsoleClient, body: object) =>
  admin.request('POST', `/console/api/members/${memberId}`, body);

test('a member of a tenant that was offboarded can be changed and disabled, and the tenant gives no access', async () => {
  const [first = '', second = ''] = running.tenantIds;
  const officer = await running.signIn('officer', [first, second]);
  await superuser.query('update control.tenant set closed_at = clock_timestamp() where id = $1', [second]);
  const seen = { role: 'officer', tenantIds: [first, second], disabled: false };
  const changed = await change(officer, { role: 'viewer', tenantIds: [first, second], disabled: true, expected: seen });
  expect(changed.status, changed.text).toBe(200);
  expect(changed.body.member).toMatchObject({ role: 'viewer', disabledAt: expect.any(String) });
  const viewer = await running.signIn('viewer', [first]);
  const added = await change(viewer, { tenantIds: [first, second] });
  expect(added).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('tenantIds') } } });
  await superuser.query('update control.tenant set closed_at = null');
});

test('a change of a member ends its sessions, which is an event also where nothing else has changed', async () => {
  const officer = await running.signIn('officer');
  expect((await change(officer, { disabled: false })).status).toBe(200);
  expect((await officer.request('GET', '/console/api/me')).body.error.code).toBe('SESSION_ENDED');
  const { rows } = await superuser.query(
    `select actor, action, after from control.admin_event where subject_type = 'session' and subject_id = $1`,
    [officer.memberId],
  );
  const actor = `member:${admin.memberId}`;
  expect(rows.filter(({ action }) => action === 'ended')).toEqual([{ actor, action: 'ended', after: { sessions: 1 } }]);
});

test('the last administrator of all tenants cannot be limited to some, while others of some tenants exist', async () => {
  await superuser.query(`update control.member set disabled_at = clock_timestamp() where 'member:' || id <> $1`, [
    `member:${admin.memberId}`,
  ]);
  await running.signIn('admin', running.tenantIds.slice(0, 1));
  for (const limited of [{ tenantIds: running.tenantIds }, { role: 'officer' }, { disabled: true }])
    expect(await change(admin, limited), JSON.stringify(limited)).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('last administrator') } },
    });
  await running.signIn('admin');
  expect((await change(admin, { tenantIds: running.tenantIds })).status).toBe(200);
});

test('a member is not limited to no tenant, with a message that names what to do; one without tenants can be changed otherwise', async () => {
  const officer = await running.signIn('officer', running.tenantIds.slice(0, 1));
  expect(await change(officer, { tenantIds: [] })).toMatchObject({
    status: 400,
    body: { error: { message: 'tenantIds: select at least one tenant, or disable the account to end its access.' } },
  });
  await superuser.query(`update control.member set tenant_ids = '{}' where id = $1`, [officer.memberId]);
  const seen = { role: 'officer', tenantIds: [], disabled: false };
  expect((await change(officer, { role: 'viewer', expected: seen })).body.member).toMatchObject({
    role: 'viewer',
    tenantIds: [],
  });
});

test('of many tenants the sources of a hundred are listed, those with silent ones first, and of a selected tenant its own', async () => {
  const { rows } = await superuser.query<{ id: string }>(
    `insert into control.tenant (id, name, organization_id, plan, digest)
     select gen_random_uuid(), 'Branch ' || n, $1, 'api', '\\x00' from generate_series(1, 150) n returning id`,
    [running.organizationId],
  );
  const ids = rows.map(({ id }) => id).sort();
  const [silent = '', last = ''] = ids.slice(-2);
  await superuser.query(
    `insert into models.source_progress (cluster_id, topic_id, partition, tenant_id, source, last_occurred_at, last_discovered_at, row_count)
     select 'main', gen_random_uuid(), 0, id, 'logs', clock_timestamp() - interval '1 minute',
            clock_timestamp() - case when id = $2 then interval '400 days' else interval '1 minute' end, 1 from unnest($1::uuid[]) id`,
    [ids, silent],
  );
  await superuser.query(
    `update models.source_progress set last_occurred_at = '2100-01-01T00:00:00Z' where tenant_id = $1`,
    [last],
  );
  const read = async (query = '') => (await admin.request('GET', `/console/api/feeds/activity${query}`)).body;
  const all = await read();
  const listed = new Set(all.sources.map(({ tenantId }: { tenantId: string }) => tenantId));
  expect(listed.size).toBe(100);
  expect(listed).toContain(silent);
  expect(listed).not.toContain(last);
  expect(all.otherTenants).toBe(52);
  const logs = ({ feeds }: { feeds: { feed: string }[] }) => feeds.find(({ feed }) => feed === 'logs');
  expect(logs(all)).toMatchObject({ lastOccurredAt: '2100-01-01T00:00:00.000Z' });
  const one = await read(`?tenantId=${silent}`);
  expect(one).toMatchObject({ sources: [{ tenantId: silent, state: 'silent' }], otherTenants: 0 });
  expect((await read(`?tenantId=${randomUUID()}`)).sources).toEqual([]);
  await superuser.query('delete from control.tenant where id = any($1)', [ids]);
});

test('a member is invited to thousands of tenants, and its list is changed', async () => {
  const ids = Array.from({ length: 5_000 }, () => randomUUID());
  await superuser.query(
    `insert into control.tenant (id, name, organization_id, plan, digest) select id, id, $1, 'api', '\\x00' from unnest($2::uuid[]) id`,
    [running.organizationId, ids],
  );
  const invited = await admin.request('POST', '/console/api/invitations', {
    name: 'Ida',
    role: 'viewer',
    tenantIds: ids,
  });
  expect(invited.status, invited.text.slice(0, 200)).toBe(200);
  const viewer = await running.signIn('viewer', ids);
  const changed = await change(viewer, {
    tenantIds: ids.slice(1),
    expected: { role: 'viewer', tenantIds: ids, disabled: false },
  });
  expect(changed.status, changed.text.slice(0, 200)).toBe(200);
  expect(changed.body.member.tenantIds).toHaveLength(4_999);
});
