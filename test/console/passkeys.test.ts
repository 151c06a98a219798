import { TOTP } from 'otpauth';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Authenticator, createAuthenticator } from './authenticator.ts';
import { type ConsoleClient, type ConsoleResponse, createTestConsole, type TestConsole } from './test-console.ts';

let running: TestConsole;
let superuser: pg.Client;
let anonymous: ConsoleClient;

beforeAll(async () => {
  running = await createTestConsole({}, { host: 'localhost' });
  superuser = new pg.Client(running.database.superuser);
  await superuser.connect();
  anonymous = await running.signIn(null);
});
afterAll(async () => {
  await superuser?.end();
  await running?.[Symbol.asyncDispose]();
});
beforeEach(() => superuser.query('delete from control.sign_in_failure'));

const password = 'a long enough password';
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const codeNow = () => new TOTP({ secret }).generate();
const token = () => running.createSetUpToken('admin');
const cookieIn = (response: ConsoleResponse, name: string): string =>
  response.headers
    .getSetCookie()
    .map((line) => new RegExp(`^${name}=([^;]+)`).exec(line)?.[1])
    .find((value) => value !== undefined) ?? '';
const post = (path: string, body: object, cookies = '') =>
  anonymous.request('POST', `/console/api${path}`, body, { Cookie: cookies });
/** An authenticator's next time has begun. */
const nextCode = () => superuser.query(`update control.member_credential set facts = '{}' where kind = 'totp'`);
const late = () =>
  superuser.query(`update control.console_session set authenticated_at = clock_timestamp() - interval '16 minutes'`);

/** A member whose second factor is an authenticator's code. */
async function withCode(name: string): Promise<string> {
  const created = await post('/set-up', { token: await token(), name, password, totp: { secret, code: codeNow() } });
  expect(created.status, created.text).toBe(200);
  return `sid=${cookieIn(created, 'sid')}`;
}

async function addPasskey(sid: string, device: Authenticator, name = 'Laptop'): Promise<ConsoleResponse> {
  const offer = await post('/credentials/passkey/options', {}, sid);
  expect(offer.status, offer.text).toBe(200);
  const cookies = `${sid}; challenge=${cookieIn(offer, 'challenge')}`;
  return post('/credentials/passkey', { name, response: device.create(offer.body) }, cookies);
}

async function signIn(device: Authenticator, origin?: string): Promise<ConsoleResponse> {
  const offer = await post('/sign-in/passkey/options', {});
  const cookies = `challenge=${cookieIn(offer, 'challenge')}`;
  return post('/sign-in/passkey/verify', { response: device.use(offer.body, origin) }, cookies);
}
const nameOf = async (response: ConsoleResponse) =>
  (await anonymous.request('GET', '/console/api/me', undefined, { Cookie: `sid=${cookieIn(response, 'sid')}` })).body
    .member?.name;

test('the first administrator can be created with a passkey, which signs in afterwards', async () => {
  const device = createAuthenticator(running.origin);
  const offer = await post('/set-up/passkey/options', { name: 'Ada' });
  expect(offer.body).toMatchObject({
    rp: { id: 'localhost' },
    authenticatorSelection: { userVerification: 'required' },
  });
  const request = {
    token: await token(),
    name: 'Ada',
    password,
    passkey: { name: 'Laptop', response: device.create(offer.body) },
  };
  const created = await post('/set-up', request, `challenge=${cookieIn(offer, 'challenge')}`);
  expect(created.status, created.text).toBe(200);
  expect(await nameOf(await signIn(device))).toBe('Ada');
});

test('a local account requires a second factor', async () => {
  const withoutFactor = await post('/set-up', { token: await token(), name: 'Bare', password });
  expect(withoutFactor).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('second factor') } },
  });
});

test('an added passkey is listed without its key, signs in, and its counter increases', async () => {
  const device = createAuthenticator(running.origin);
  const sid = await withCode('Beda');
  expect((await addPasskey(sid, device)).status).toBe(200);
  const { body } = await anonymous.request('GET', '/console/api/credentials', undefined, { Cookie: sid });
  expect(body.credentials.filter(({ kind }: { kind: string }) => kind !== 'recovery')).toMatchObject([
    { kind: 'password' },
    { kind: 'totp' },
    { kind: 'passkey', name: 'Laptop', usedAt: null },
  ]);
  expect(Object.keys(body.credentials[0]).sort()).toEqual(['createdAt', 'id', 'kind', 'name', 'usedAt']);
  expect(await nameOf(await signIn(device))).toBe('Beda');
  expect((await addPasskey(await withCode('Thief'), device)).status).toBe(409);
});

test('a cloned authenticator, an unverified user and another site are refused', async () => {
  const device = createAuthenticator(running.origin);
  await addPasskey(await withCode('Cyril'), device);
  device.counter = 10;
  expect((await signIn(device)).status).toBe(200);
  device.counter = 5;
  expect((await signIn(device)).body.error.code).toBe('SIGN_IN_FAILED');
  device.counter = 20;
  device.verifiesUser = false;
  expect((await signIn(device)).body.error.code).toBe('SIGN_IN_FAILED');
  device.verifiesUser = true;
  expect((await signIn(device, 'https://localhost.evil.example')).body.error.code).toBe('SIGN_IN_FAILED');
  expect((await signIn(createAuthenticator(running.origin))).body.error.code).toBe('SIGN_IN_FAILED');
  expect((await signIn(device)).status).toBe(200);
});

test('a passkey signs in from an address that strangers have blocked, and other passkeys stay blocked there', async () => {
  const device = createAuthenticator(running.origin);
  await addPasskey(await withCode('Cecylia'), device);
  await superuser.query(
    `insert into control.sign_in_failure (bucket) select 'address:127.0.0.1' from generate_series(1, 30)`,
  );
  expect((await signIn(createAuthenticator(running.origin))).status).toBe(429);
  expect((await signIn(device)).status).toBe(200);
});

test('a challenge is valid for one browser, one action and one response', async () => {
  const device = createAuthenticator(running.origin);
  const sid = await withCode('Dana');
  await addPasskey(sid, device);
  const offer = await post('/sign-in/passkey/options', {});
  const cookie = `challenge=${cookieIn(offer, 'challenge')}`;
  const response = device.use(offer.body);
  expect((await post('/sign-in/passkey/verify', { response })).status).toBe(401);
  expect((await post('/sign-in/passkey/verify', { response }, cookie)).status).toBe(200);
  expect((await post('/sign-in/passkey/verify', { response }, cookie)).status).toBe(401);
  const creation = await post('/credentials/passkey/options', {}, sid);
  const wrongAction = `challenge=${cookieIn(creation, 'challenge')}`;
  expect((await post('/sign-in/passkey/verify', { response: device.use(creation.body) }, wrongAction)).status).toBe(
    401,
  );
});

test('the last sign-in method cannot be removed, whatever the order', async () => {
  const sid = await withCode('Eva');
  const send = () => anonymous.request('GET', '/console/api/credentials', undefined, { Cookie: sid });
  const idOf = async (kind: string) =>
    (await send()).body.credentials.find((one: { kind: string }) => one.kind === kind)?.id ?? '';
  const remove = async (kind: string) => post(`/credentials/${await idOf(kind)}/remove`, {}, sid);
  expect((await remove('totp')).status).toBe(409);
  expect((await remove('password')).status).toBe(409);
  await addPasskey(sid, createAuthenticator(running.origin));
  expect((await remove('totp')).status).toBe(200);
  expect((await remove('passkey')).status).toBe(409);
  const other = await withCode('Filip');
  expect((await post(`/credentials/${await idOf('passkey')}/remove`, {}, other)).status).toBe(404);
  const { rows } = await superuser.query(
    `select action from control.admin_event where subject_type = 'member_credential' and action = 'removed'`,
  );
  expect(rows.length).toBeGreaterThan(0);
});

test('authenticator secrets are encrypted, each for its member', async () => {
  await withCode('Greta');
  await withCode('Hana');
  const { rows } = await superuser.query<{ secret: string; memberId: string; name: string }>(
    `select c.secret, c.member_id as "memberId", p.name from control.member_credential c join control.member p on p.id = c.member_id where c.kind = 'totp'`,
  );
  for (const row of rows) expect(row.secret).not.toContain(secret);
  const sealedOf = (name: string) => rows.find((row) => row.name === name);
  const signInWithCode = (name: string) => post('/sign-in/local', { name, password, second: codeNow() });
  await nextCode();
  expect((await signInWithCode('Hana')).status).toBe(200);
  await superuser.query(`update control.member_credential set secret = $1 where kind = 'totp' and member_id = $2`, [
    sealedOf('Greta')?.secret,
    sealedOf('Hana')?.memberId,
  ]);
  await nextCode();
  expect((await signInWithCode('Hana')).body.error.code).toBe('SIGN_IN_FAILED');
});

test('re-authentication succeeds by password and code or by a passkey', async () => {
  const device = createAuthenticator(running.origin);
  const sid = await withCode('Ivo');
  await addPasskey(sid, device);
  const dangerous = (of = sid) =>
    anonymous.request('PATCH', '/console/api/organization', { keyLifetimeDays: 400 }, { Cookie: of });
  const proofs: [string, () => Promise<ConsoleResponse>][] = [
    ['a password and a code', () => post('/reauthenticate', { password, second: codeNow() }, sid)],
    [
      'a passkey',
      async () => {
        const offer = await post('/sign-in/passkey/options', {});
        const cookies = `${sid}; challenge=${cookieIn(offer, 'challenge')}`;
        return post('/reauthenticate', { passkey: device.use(offer.body) }, cookies);
      },
    ],
  ];
  await nextCode();
  for (const [what, prove] of proofs) {
    await late();
    expect((await dangerous()).body.error.code, what).toBe('REAUTHENTICATE');
    const proved = await prove();
    expect(proved.status, `${what}: ${proved.text}`).toBe(200);
    expect((await dangerous()).status, what).toBe(200);
  }
  await late();
  expect((await post('/reauthenticate', { password: 'not this one', second: codeNow() }, sid)).status).toBe(401);
  expect((await post('/reauthenticate', { demo: true }, sid)).status).toBe(409);
  expect((await dangerous()).body.error.code).toBe('REAUTHENTICATE');
  const other = await withCode('Jana');
  await late();
  const offer = await post('/sign-in/passkey/options', {});
  const cookies = `${other}; challenge=${cookieIn(offer, 'challenge')}`;
  expect((await post('/reauthenticate', { passkey: device.use(offer.body) }, cookies)).status).toBe(401);
  expect((await dangerous(other)).body.error.code).toBe('REAUTHENTICATE');
  await superuser.query('update control.organization set key_lifetime_days = null');
});

test('without local sign-in an account of the host has a passkey and authenticates again with it, but does not sign in', async () => {
  await using closed = await createTestConsole({ TENANTSCOPE_CONSOLE_LOCAL_SIGN_IN: 'off' }, { host: 'localhost' });
  const visitor = await closed.signIn(null);
  const send = (path: string, body: object, cookies = '') =>
    visitor.request('POST', `/console/api${path}`, body, cookies === '' ? {} : { Cookie: cookies });
  expect((await visitor.request('GET', '/console/api/sign-in')).body).toMatchObject({ local: false, passkey: true });
  const device = createAuthenticator(closed.origin);
  const creation = await send('/set-up/passkey/options', { name: 'Ada' });
  const account = {
    token: await closed.createSetUpToken('admin'),
    name: 'Ada',
    password,
    passkey: { name: 'Laptop', response: device.create(creation.body) },
  };
  const created = await send('/set-up', account, `challenge=${cookieIn(creation, 'challenge')}`);
  expect(created.status, created.text).toBe(200);
  const sid = `sid=${cookieIn(created, 'sid')}`;
  const use = async (path: string, name: string, cookies: string) => {
    const offer = await send('/sign-in/passkey/options', {});
    const challenge = `challenge=${cookieIn(offer, 'challenge')}`;
    return send(path, { [name]: device.use(offer.body) }, [cookies, challenge].filter(Boolean).join('; '));
  };
  expect((await use('/reauthenticate', 'passkey', sid)).status).toBe(200);
  expect((await use('/sign-in/passkey/verify', 'response', '')).status).toBe(404);
});

test('a console at an IP address offers no passkeys and reports why', async () => {
  await using bare = await createTestConsole();
  const someone = await bare.signIn(null);
  expect((await someone.request('GET', '/console/api/sign-in')).body).toMatchObject({ local: true, passkey: false });
  expect((await someone.request('POST', '/console/api/sign-in/passkey/options')).body.error.code).toBe('CONFLICT');
});

test('a demo member re-authenticates by one click, and the key lifetime is changed by members with access to all tenants', async () => {
  await using demo = await createTestConsole({}, { settings: (id) => ({ TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION: id }) });
  const someone = await demo.signIn(null);
  const sid = `sid=${cookieIn(await someone.request('POST', '/console/api/sign-in/demo'), 'sid')}`;
  const send = (method: string, path: string, body: object) =>
    someone.request(method, `/console/api${path}`, body, { Cookie: sid });
  await using owner = await (async () => {
    const client = new pg.Client(demo.database.superuser);
    await client.connect();
    return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
  })();
  await owner.query(`update control.console_session set authenticated_at = clock_timestamp() - interval '16 minutes'`);
  const change = () => send('PATCH', '/organization', { keyLifetimeDays: 30 });
  expect((await change()).body.error.code).toBe('REAUTHENTICATE');
  expect((await send('POST', '/reauthenticate', { demo: true })).status).toBe(200);
  expect((await change()).body.organization.keyLifetimeDays).toBe(30);
  const key = { name: 'Poller', tenantId: demo.tenantIds[0], scopes: ['logs:read'], expiresAt: null };
  expect((await send('POST', '/keys', key)).body.error.message).toContain('30 days');
  const some = await demo.signIn('admin', [demo.tenantIds[0] ?? '']);
  expect((await some.request('PATCH', '/console/api/organization', { keyLifetimeDays: null })).status).toBe(403);
});
