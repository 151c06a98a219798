import { randomUUID } from 'node:crypto';
import { TOTP } from 'otpauth';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleClient, createTestConsole, type TestConsole } from './test-console.ts';

let running: TestConsole;
let superuser: pg.Client;
let admin: ConsoleClient;
let anonymous: ConsoleClient;

beforeAll(async () => {
  running = await createTestConsole();
  superuser = new pg.Client(running.database.superuser);
  await superuser.connect();
  admin = await running.signIn('admin');
  anonymous = await running.signIn(null);
}, 60_000);
afterAll(async () => {
  await superuser?.end();
  await running?.[Symbol.asyncDispose]();
});

const invite = (more: object = {}, by = admin) =>
  by.request('POST', '/console/api/invitations', { name: 'Ida', role: 'viewer', tenantIds: null, ...more });
async function createToken(more: object = {}): Promise<{ id: string; token: string }> {
  const { status, text, body } = await invite(more);
  expect(status, text).toBe(200);
  const [, token = ''] = body.link.split('#');
  expect(body.link).toBe(`${running.origin}/console/set-up#${token}`);
  return { id: body.id, token };
}
const readToken = async (token: string) =>
  (await anonymous.request('POST', '/console/api/set-up/token', { token })).body;
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const accept = (token: string, name: string, client = anonymous) =>
  client.request('POST', '/console/api/set-up', {
    token,
    name,
    password: 'a long enough password',
    totp: { secret, code: new TOTP({ secret }).generate() },
  });
const listed = async (id: string) =>
  (await admin.request('GET', '/console/api/invitations')).body.invitations.find(
    (each: { id: string }) => each.id === id,
  );

test('an invitation creates one account with its role and tenants, and its link works once', async () => {
  const [tenantId] = running.tenantIds;
  const { id, token } = await createToken({ tenantIds: [tenantId] });
  expect(await readToken(token)).toEqual({
    state: 'valid',
    invitation: { organization: 'Larkspur Group', role: 'viewer', name: 'Ida', expiresAt: expect.any(String) },
  });
  expect(await listed(id)).toMatchObject({
    state: 'valid',
    tenantIds: [tenantId],
    createdBy: `member:${admin.memberId}`,
  });
  const created = await accept(token, 'Ida Lis');
  expect(created.status, created.text).toBe(200);
  const sid = /sid=([\w-]{43})/.exec(created.headers.getSetCookie().join())?.[1] ?? '';
  const me = await anonymous.request('GET', '/console/api/me', undefined, { Cookie: `sid=${sid}` });
  expect(me.body).toMatchObject({ member: { name: 'Ida Lis', role: 'viewer', hasEveryTenant: false } });
  expect(me.body.tenants.map((tenant: { id: string }) => tenant.id)).toEqual([tenantId]);
  expect((await accept(token, 'Iga Lis')).body.error.code).toBe('SIGN_IN_FAILED');
  for (const part of ['', token.slice(0, 9), token.repeat(5)]) expect((await readToken(part)).state).toBe('unknown');
  expect((await readToken(token)).state).toBe('used');
  expect(await listed(id)).toMatchObject({ state: 'used' });
});

test('an invitation is in the audit log from its creation to its use, without its token', async () => {
  const { id, token } = await createToken({ name: 'Jan' });
  await accept(token, 'Jan Lis');
  const { rows } = await superuser.query(
    `select actor, action, after from control.admin_event where subject_type = 'set_up_token' and subject_id = $1 order by number`,
    [id],
  );
  expect(rows).toMatchObject([
    { actor: `member:${admin.memberId}`, action: 'created', after: { name: 'Jan', role: 'viewer', used_at: null } },
    { actor: 'set-up', action: 'changed', after: { used_at: expect.any(String) } },
  ]);
  const { rows: all } = await superuser.query('select jsonb_agg(to_jsonb(e))::text as text from control.admin_event e');
  expect(all[0].text).not.toContain(token);
  expect((await admin.request('GET', '/console/api/invitations')).text).not.toContain(token);
});

test('a revoked and an expired invitation create no account and report why', async () => {
  const revoked = await createToken();
  const revoke = () => admin.request('POST', `/console/api/invitations/${revoked.id}/revoke`);
  expect((await revoke()).status).toBe(200);
  expect((await revoke()).status).toBe(404);
  const expired = await createToken();
  await superuser.query('update control.set_up_token set expires_at = clock_timestamp() where id = $1', [expired.id]);
  for (const [state, { token }] of [
    ['revoked', revoked],
    ['expired', expired],
  ] as const) {
    expect((await readToken(token)).state).toBe(state);
    expect((await accept(token, randomUUID())).body.error.code, state).toBe('SIGN_IN_FAILED');
  }
  expect(await readToken('x'.repeat(32))).toEqual({ state: 'unknown', invitation: null });
});

test('an invited person cannot take over an account by its name, and the host can', async () => {
  const first = await createToken();
  expect((await accept(first.token, 'Kornelia')).status).toBe(200);
  const second = await createToken();
  expect(await accept(second.token, ' KORNELIA ')).toMatchObject({
    status: 409,
    body: { error: { code: 'CONFLICT' } },
  });
  expect((await readToken(second.token)).state, 'the token is not used').toBe('valid');
  const host = await running.createSetUpToken('officer');
  const recovered = await accept(host, 'Kornelia');
  expect(recovered.status, recovered.text).toBe(200);
  const { rows } = await superuser.query(`select role from control.member where subject = 'kornelia'`);
  expect(rows).toEqual([{ role: 'officer' }]);
});

test('inviting requires recent re-authentication, revoking does not', async () => {
  const late = await running.signIn('admin');
  await superuser.query(
    `update control.console_session set authenticated_at = clock_timestamp() - interval '16 minutes' where member_id = $1`,
    [late.memberId],
  );
  expect((await invite({}, late)).body.error.code).toBe('REAUTHENTICATE');
  const { id } = await createToken();
  expect((await late.request('POST', `/console/api/invitations/${id}/revoke`)).status).toBe(200);
});

test('an administrator of some tenants sees no invitations', async () => {
  await createToken();
  const some = await running.signIn('admin', [running.tenantIds[0] ?? '']);
  expect((await some.request('GET', '/console/api/invitations')).body).toEqual({ invitations: [] });
});

test('without local accounts no invitation is created', async () => {
  await using closed = await createTestConsole(
    { TENANTSCOPE_CONSOLE_LOCAL_SIGN_IN: 'off' },
    { lent: running.database },
  );
  expect((await invite({}, await closed.signIn('admin'))).status).toBe(404);
});

test('without local accounts an invitation that was sent before is refused, and a link of the host creates an account', async () => {
  await using closed = await createTestConsole(
    { TENANTSCOPE_CONSOLE_LOCAL_SIGN_IN: 'off' },
    { lent: running.database },
  );
  const visitor = await closed.signIn(null);
  const { token } = await createToken();
  const refused = { status: 404, body: { error: { message: expect.stringContaining('at the identity provider') } } };
  expect(await visitor.request('POST', '/console/api/set-up/token', { token })).toMatchObject(refused);
  expect(await accept(token, 'Lena', visitor)).toMatchObject(refused);
  expect((await readToken(token)).state, 'the token is not used').toBe('valid');
  expect((await superuser.query(`select from control.member where subject = 'lena'`)).rowCount).toBe(0);

  const host = await running.createSetUpToken('admin');
  expect((await visitor.request('POST', '/console/api/set-up/token', { token: host })).body.state).toBe('valid');
  const created = await accept(host, 'Lena', visitor);
  expect(created.status, created.text).toBe(200);
  expect(created.headers.getSetCookie().join()).toMatch(/sid=[\w-]{43}/);
  const credentials = { name: 'Lena', password: 'a long enough password', second: '000000' };
  expect(await visitor.request('POST', '/console/api/sign-in/local', credentials)).toMatchObject(refused);
});

test('a link of the host for a disabled account changes nothing, and works once the account is enabled', async () => {
  expect((await accept(await running.createSetUpToken('viewer'), 'Maja')).status).toBe(200);
  const read = async () => {
    const { rows } = await superuser.query(
      `select m.id, m.role, array(select c.id from control.member_credential c where c.member_id = m.id order by 1) as credentials
         from control.member m where m.subject = 'maja'`,
    );
    return rows[0];
  };
  const before = await read();
  const change = (disabled: boolean) => admin.request('POST', `/console/api/members/${before.id}`, { disabled });
  expect((await change(true)).status).toBe(200);
  const token = await running.createSetUpToken('officer');
  expect(await accept(token, 'Maja')).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining('This account is disabled. Enable it') } },
  });
  expect(await read()).toEqual(before);
  expect((await readToken(token)).state, 'the token is not used').toBe('valid');
  expect((await change(false)).status).toBe(200);
  expect((await accept(token, 'Maja')).status).toBe(200);
  expect(await read()).toMatchObject({ id: before.id, role: 'officer' });
});

test('the database creates an account of a set-up only with the role and tenants of a token used with it', async () => {
  const client = new pg.Client(running.database.roles.console);
  await client.connect();
  try {
    await client.query(`select set_config('tenantscope.actor', 'set-up', false)`);
    const insert = `insert into control.member (organization_id, name, source, subject, role) values ('${running.organizationId}', 'x', 'local', 'x', 'admin')`;
    await expect(client.query(insert)).rejects.toThrow(/needs a set-up token/);
    await expect(client.query('update control.set_up_token set used_at = clock_timestamp()')).rejects.toThrow(
      /permission denied/,
    );
  } finally {
    await client.end();
  }
});
