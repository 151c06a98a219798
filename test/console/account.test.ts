import { TOTP } from 'otpauth';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createAuthenticator } from './authenticator.ts';
import { type ConsoleClient, type ConsoleResponse, createTestConsole, type TestConsole } from './test-console.ts';

let running: TestConsole;
let superuser: pg.Client;
let anonymous: ConsoleClient;

beforeAll(async () => {
  running = await createTestConsole({}, { host: 'localhost' });
  superuser = new pg.Client(running.database.superuser);
  await superuser.connect();
  anonymous = await running.signIn(null);
}, 60_000);
afterAll(async () => {
  await superuser?.end();
  await running?.[Symbol.asyncDispose]();
});
beforeEach(() => superuser.query('delete from control.sign_in_failure'));

const password = 'a long enough password';
const newPassword = 'another long password';
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const otherSecret = 'KRSXG5CTMVRXEZLUKRSXG5CTMVRXEZLU';
const codeOf = (of = secret) => new TOTP({ secret: of }).generate();
/** An authenticator's next time has begun. */
const nextCode = () => superuser.query(`update control.member_credential set facts = '{}' where kind = 'totp'`);

const cookieOf = (response: ConsoleResponse, name: string): string =>
  response.headers
    .getSetCookie()
    .find((each) => each.startsWith(`${name}=`))
    ?.split(';')[0] ?? '';
const post = (path: string, body: object, cookie = '') =>
  anonymous.request('POST', `/console/api${path}`, body, cookie === '' ? {} : { Cookie: cookie });

/** A new account with an authenticator: its session's cookie and its recovery codes. */
async function createAccount(name: string): Promise<{ sid: string; codes: string[] }> {
  const token = await running.createSetUpToken('admin');
  const created = await post('/set-up', { token, name, password, totp: { secret, code: codeOf() } });
  expect(created.status, created.text).toBe(200);
  await nextCode();
  return { sid: cookieOf(created, 'sid'), codes: created.body.recoveryCodes };
}
const signIn = (name: string, more: object = {}) =>
  post('/sign-in/local', { name, password, second: codeOf(), ...more });
const isSignedIn = async (sid: string): Promise<boolean> =>
  (await anonymous.request('GET', '/console/api/me', undefined, { Cookie: sid })).status === 200;
const ageAuthentication = () =>
  superuser.query(`update control.console_session set authenticated_at = clock_timestamp() - interval '16 minutes'`);

test('a changed password ends the other sessions, and the former one no longer signs in', async () => {
  const { sid } = await createAccount('Ada');
  const other = cookieOf(await signIn('Ada'), 'sid');
  await nextCode();
  expect(await isSignedIn(other)).toBe(true);
  const changed = await post(
    '/credentials/password',
    { current: password, second: codeOf(), password: newPassword },
    sid,
  );
  expect(changed).toMatchObject({ status: 200, body: { ended: 1 } });
  expect([await isSignedIn(sid), await isSignedIn(other)]).toEqual([true, false]);
  await nextCode();
  expect((await signIn('Ada')).status).toBe(401);
  expect((await signIn('Ada', { password: newPassword })).status).toBe(200);
  const { rows } = await superuser.query(
    `select action, subject_type, coalesce(after, before) ->> 'kind' as kind, after ->> 'sessions' as sessions
       from control.admin_event where subject_type in ('member_credential', 'session') order by number desc limit 3`,
  );
  expect(rows.toReversed()).toEqual([
    { action: 'removed', subject_type: 'member_credential', kind: 'password', sessions: null },
    { action: 'created', subject_type: 'member_credential', kind: 'password', sessions: null },
    { action: 'ended', subject_type: 'session', kind: null, sessions: '1' },
  ]);
});

test('an account that the host recovers loses all its sessions, and the audit log names how many', async () => {
  const { sid } = await createAccount('Bruno');
  const other = cookieOf(await signIn('Bruno'), 'sid');
  const bystander = (await createAccount('Bystander')).sid;
  const recovered = (await createAccount('Bruno')).sid;
  const states = [await isSignedIn(sid), await isSignedIn(other), await isSignedIn(recovered)];
  expect(states).toEqual([false, false, true]);
  expect(await isSignedIn(bystander), 'a session of another account').toBe(true);
  const { rows } = await superuser.query(
    `select e.actor, e.action, e.subject_type, e.after from control.admin_event e join control.member m on e.subject_id = m.id::text
      where m.subject = 'bruno' and e.subject_type = 'session'`,
  );
  expect(rows).toEqual([{ actor: 'set-up', action: 'ended', subject_type: 'session', after: { sessions: 2 } }]);
});

test('a password is changed only with the current one and a second factor, and wrong ones are counted', async () => {
  const { sid } = await createAccount('Beda');
  const change = (more: object) =>
    post('/credentials/password', { current: password, second: codeOf(), password: newPassword, ...more }, sid);
  expect((await change({ password: 'short' })).status).toBe(400);
  expect((await change({ password: '1qaz2wsx3edc' })).body.error.message).toContain('easy to guess');
  await nextCode();
  expect((await change({ second: undefined })).status).toBe(400);
  expect((await change({ second: '000000' })).body.error.code).toBe('SIGN_IN_FAILED');
  for (let n = 0; n < 4; n += 1)
    expect((await change({ current: 'not this one' })).body.error.code).toBe('SIGN_IN_FAILED');
  expect((await change({})).status).toBe(429);
  expect(await isSignedIn(sid)).toBe(true);
});

test('a passkey of the member serves as the second factor of a password change, another one does not', async () => {
  const { sid } = await createAccount('Cyril');
  const register = async (of: string) => {
    const device = createAuthenticator(running.origin);
    const offer = await post('/credentials/passkey/options', {}, of);
    const cookie = `${of}; ${cookieOf(offer, 'challenge')}`;
    const added = await post('/credentials/passkey', { name: 'Laptop', response: device.create(offer.body) }, cookie);
    expect(added.status, added.text).toBe(200);
    return device;
  };
  const own = await register(sid);
  const foreign = await register((await createAccount('Thief')).sid);
  const change = async (device: typeof own, current: string) => {
    const offer = await post('/sign-in/passkey/options', {});
    return post(
      '/credentials/password',
      { current, passkey: device.use(offer.body), password: newPassword },
      `${sid}; ${cookieOf(offer, 'challenge')}`,
    );
  };
  expect((await change(foreign, password)).status).toBe(401);
  expect((await change(own, 'not this one')).status).toBe(401);
  expect((await change(own, password)).status).toBe(200);
});

test('renewed recovery codes replace the former ones, after re-authentication', async () => {
  const { sid, codes } = await createAccount('Dana');
  await ageAuthentication();
  expect((await post('/credentials/recovery-codes', {}, sid)).body.error.code).toBe('REAUTHENTICATE');
  expect((await post('/reauthenticate', { password, second: codeOf() }, sid)).status).toBe(200);
  const { body } = await post('/credentials/recovery-codes', {}, sid);
  expect(new Set([...codes, ...body.recoveryCodes]).size).toBe(20);
  expect((await signIn('Dana', { second: codes[0] })).status).toBe(401);
  expect((await signIn('Dana', { second: body.recoveryCodes[0] })).status).toBe(200);
});

test('another authenticator signs in next to the first, and an account has three at most', async () => {
  const { sid } = await createAccount('Emil');
  const add = (more: object = {}) =>
    post(
      '/credentials/authenticator',
      { name: 'Phone', totp: { secret: otherSecret, code: codeOf(otherSecret) }, ...more },
      sid,
    );
  expect((await add({ totp: { secret: otherSecret, code: '000000' } })).status).toBe(400);
  const added = await add();
  expect(added.body.credentials.filter(({ kind }: { kind: string }) => kind === 'totp')).toMatchObject([
    { name: null },
    { name: 'Phone' },
  ]);
  expect((await signIn('Emil', { second: codeOf(otherSecret) })).body.error.message).toContain('has already been used');
  await nextCode();
  expect((await signIn('Emil', { second: codeOf(otherSecret) })).status).toBe(200);
  expect((await signIn('Emil')).status).toBe(200);
  expect((await add()).status).toBe(200);
  expect((await add()).body.error).toMatchObject({ code: 'CONFLICT' });
  await ageAuthentication();
  expect((await add()).body.error.code).toBe('REAUTHENTICATE');
});

test('an account that signs in elsewhere has no credentials here', async () => {
  const { memberId, request } = await running.signIn('admin');
  await superuser.query(`update control.member set source = 'oidc' where id = $1`, [memberId]);
  const totp = { secret, code: codeOf() };
  for (const [path, body] of [
    ['password', { current: password, second: codeOf(), password: newPassword }],
    ['recovery-codes', {}],
    ['authenticator', { name: 'Phone', totp }],
  ] as const)
    expect((await request('POST', `/console/api/credentials/${path}`, body)).status, path).toBe(409);
});
