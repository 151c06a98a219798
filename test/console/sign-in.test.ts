import { TOTP } from 'otpauth';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleClient, type ConsoleResponse, createTestConsole, type TestConsole } from './test-console.ts';

let running: TestConsole;
let superuser: pg.Client;
let anonymous: ConsoleClient;

beforeAll(async () => {
  running = await createTestConsole({ TENANTSCOPE_TRUSTED_PROXIES: '127.0.0.1' });
  superuser = new pg.Client(running.database.superuser);
  await superuser.connect();
  anonymous = await running.signIn(null);
});
afterAll(async () => {
  await superuser?.end();
  await running?.[Symbol.asyncDispose]();
});

const password = 'a long enough password';
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const codeNow = () => new TOTP({ secret }).generate();
const token = () => running.createSetUpToken('admin');
/** An authenticator's next time has begun. */
const nextCode = () => superuser.query(`update control.member_credential set facts = '{}' where kind = 'totp'`);
const forgetFailures = () => superuser.query('delete from control.sign_in_failure');

const setUp = async (name: string, more: object = {}) =>
  anonymous.request('POST', '/console/api/set-up', {
    token: await token(),
    name,
    password,
    totp: { secret, code: codeNow() },
    ...more,
  });
const signIn = (name: string, more: object = {}) =>
  anonymous.request('POST', '/console/api/sign-in/local', { name, password, second: codeNow(), ...more });

function sessionOf(response: ConsoleResponse): string {
  const cookie = response.headers.getSetCookie().find((each) => each.startsWith('sid=')) ?? '';
  expect(cookie).toMatch(/^sid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/);
  return /^sid=([\w-]{43})/.exec(cookie)?.[1] ?? '';
}
const me = (sid: string) => anonymous.request('GET', '/console/api/me', undefined, { Cookie: `sid=${sid}` });

test('the first administrator is created with a set-up token and is signed in', async () => {
  const created = await setUp('Ada Nowak');
  expect(created.status, created.text).toBe(200);
  expect(new Set(created.body.recoveryCodes).size).toBe(10);
  expect((await me(sessionOf(created))).body).toMatchObject({
    member: { name: 'Ada Nowak', role: 'admin', source: 'local' },
  });
});

test('a set-up token works once and only until it expires', async () => {
  const used = await token();
  expect((await setUp('Beda', { token: used })).status).toBe(200);
  expect((await setUp('Cyril', { token: used })).body.error.code).toBe('SIGN_IN_FAILED');
  const old = await token();
  await superuser.query('update control.set_up_token set expires_at = clock_timestamp() where used_at is null');
  expect((await setUp('Cyril', { token: old })).body.error.code).toBe('SIGN_IN_FAILED');
});

test('a short or common password and a wrong code are refused and do not use the set-up token', async () => {
  const retained = await token();
  expect((await setUp('Dana', { token: retained, password: 'short' })).body.error.message).toContain('at least 12');
  for (const common of ['1qaz2wsx3edc', 'tenantscope2026'])
    expect((await setUp('Dana', { token: retained, password: common })).body.error.message).toContain('easy to guess');
  expect((await setUp('Dana', { token: retained, totp: { secret, code: '000000' } })).status).toBe(400);
  expect((await setUp('Dana', { token: retained })).status).toBe(200);
});

test('an authenticator code that is no code is refused with what to enter', async () => {
  const refused = await setUp('Ewa', { totp: { secret, code: '12 34' } });
  expect(refused).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('six digits') } } });
});

test('a password and an authenticator code sign in, whatever the case of the name', async () => {
  await setUp('Eva Łuczak');
  await nextCode();
  expect((await me(sessionOf(await signIn('  EVA łuczak ')))).status).toBe(200);
});

test('an authenticator code works once in its period, a recovery code once', async () => {
  const { recoveryCodes } = (await setUp('Filip')).body;
  await nextCode();
  const second = codeNow();
  expect((await signIn('Filip', { second })).status).toBe(200);
  expect((await signIn('Filip', { second })).body.error.message).toContain('has already been used');
  const [code] = recoveryCodes;
  expect((await signIn('Filip', { second: code.toLowerCase().replaceAll('-', ' ') })).status).toBe(200);
  expect((await signIn('Filip', { second: code })).body.error.code).toBe('SIGN_IN_FAILED');
  await forgetFailures();
});

test('the use of a recovery code is in the audit log with the address and the request', async () => {
  const { recoveryCodes } = (await setUp('Rita')).body;
  const headers = { 'X-Forwarded-For': '203.0.113.9' };
  const credentials = { name: 'Rita', password, second: recoveryCodes[0] };
  expect((await anonymous.request('POST', '/console/api/sign-in/local', credentials, headers)).status).toBe(200);
  const { rows } = await superuser.query(
    `select e.address, e.request_id from control.admin_event e join control.member m on e.actor = 'member:' || m.id
      where m.subject = 'rita' and e.subject_type = 'member_credential' and e.action = 'changed'`,
  );
  expect(rows).toEqual([{ address: '203.0.113.9', request_id: expect.any(String) }]);
});

test('a session of a browser without a name has no name', async () => {
  await setUp('Nora');
  await nextCode();
  const credentials = { name: 'Nora', password, second: codeNow() };
  const agent = { 'User-Agent': '' };
  const sid = sessionOf(await anonymous.request('POST', '/console/api/sign-in/local', credentials, agent));
  const { body } = await anonymous.request('GET', '/console/api/sessions', undefined, { Cookie: `sid=${sid}` });
  expect(body.sessions).toContainEqual(expect.objectContaining({ isThis: true, agent: null }));
});

test('a code that was used, including at account creation, cannot be used again', async () => {
  await setUp('Gerwazy');
  expect((await signIn('Gerwazy')).body.error.message).toContain('has already been used');
  await nextCode();
  const second = codeNow();
  expect((await signIn('Gerwazy', { second })).status).toBe(200);
  // Authenticators and clocks differ, which is why it would still be taken for the code of half a minute ago.
  await superuser.query(`update control.member_credential set used_at = used_at - interval '40 seconds'`);
  expect((await signIn('Gerwazy', { second })).body.error.message).toContain('has already been used');
  await forgetFailures();
});

test('every wrong credential gets the same response, and five failed attempts block sign-in for 15 minutes', async () => {
  await setUp('Greta');
  await nextCode();
  const wrong = [
    await signIn('Greta', { password: 'not this one' }),
    await signIn('Greta', { second: '123456' }),
    await signIn('nobody of that name'),
  ];
  for (const response of wrong) {
    expect(response.status).toBe(401);
    const { requestId, ...error } = response.body.error;
    expect(error).toEqual({ code: 'SIGN_IN_FAILED', message: 'Name, password or code is wrong.', details: [] });
    expect(requestId).toBeTypeOf('string');
    expect(response.headers.get('set-cookie')).toBeNull();
  }
  for (let n = 0; n < 3; n += 1) await signIn('Greta', { password: 'not this one' });
  expect((await signIn('Greta')).status).toBe(429);
  await superuser.query(`update control.sign_in_failure set at = at - interval '16 minutes'`);
  expect((await signIn('Greta')).status).toBe(200);
});

test('concurrent attempts are limited like sequential ones', async () => {
  await forgetFailures();
  await setUp('Grzegorz');
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => signIn('Grzegorz', { password: 'not this one' })),
  );
  expect(responses.filter(({ status }) => status === 401)).toHaveLength(5);
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(15);
  await forgetFailures();
});

test('a blocked sign-in names the time it ends, and the audit log records account and address', async () => {
  await forgetFailures();
  await setUp('Genowefa');
  for (let n = 0; n < 5; n += 1) await signIn('Genowefa', { password: 'not this one' });
  await superuser.query(`update control.sign_in_failure set at = at - interval '4 minutes'`);
  const { error } = (await signIn('Genowefa')).body;
  expect(error).toMatchObject({ code: 'RATE_LIMITED' });
  const [, minutes, clock] =
    /^Too many failed attempts. Try again in (\d+) minutes, at (\d\d:\d\d) UTC.$/.exec(error.message) ?? [];
  expect(Number(minutes)).toBe(11);
  const times = [10, 11, 12].map((later) => new Date(Date.now() + later * 60_000).toISOString().slice(11, 16));
  expect(times).toContain(clock);
  for (let n = 0; n < 26; n += 1) await signIn(`anonymous ${n}`);
  const { rows } = await superuser.query(
    `select chain, after from control.admin_event where action = 'sign-in failed' and after ? 'closedForNow' order by number desc limit 2`,
  );
  expect(rows.map(({ chain }) => chain)).toEqual([running.organizationId, running.organizationId]);
  expect(rows.map(({ after }) => after.closedForNow)).toEqual([['address'], ['account']]);
  await forgetFailures();
});

test('an unknown name takes the same work as a wrong password', { tags: ['torture'], timeout: 300_000 }, async () => {
  await setUp('Gustaw');
  await nextCode();
  const timeOf = async (name: string) => {
    await forgetFailures();
    const begunMs = performance.now();
    expect((await signIn(name, { password: 'not this one' })).status).toBe(401);
    return performance.now() - begunMs;
  };
  const existing: number[] = [];
  const unknown: number[] = [];
  for (let n = 0; n < 100; n += 1) {
    const name = `anonymous ${n}`;
    const pair =
      n % 2 ? [await timeOf('Gustaw'), await timeOf(name)] : [await timeOf(name), await timeOf('Gustaw')].reverse();
    existing.push(pair[0] ?? 0);
    unknown.push(pair[1] ?? 0);
  }
  // How often the one takes longer than the other, of all pairs: a half where they are alike, with a deviation of 0.04; 1 where no password is checked.
  const longer = existing.flatMap((one) => unknown.map((other) => Number(one > other)));
  const share = longer.reduce((sum, each) => sum + each, 0) / longer.length;
  expect(share, 'share of wrong passwords that took longer than unknown names').toBeGreaterThan(0.28);
  expect(share).toBeLessThan(0.72);
  await forgetFailures();
});

test('strangers at any number of addresses cannot lock an account out of a browser that has signed in to it', async () => {
  await forgetFailures();
  const deviceOf = (response: ConsoleResponse) =>
    response.headers
      .getSetCookie()
      .find((each) => each.startsWith('device='))
      ?.split(';')[0] ?? '';
  const device = deviceOf(await setUp('Helga'));
  const otherDevice = deviceOf(await setUp('Hermenegilda'));
  const attempt = async (more: object, headers: Record<string, string>) => {
    const body = { name: 'Helga', password, second: codeNow(), ...more };
    return (await anonymous.request('POST', '/console/api/sign-in/local', body, headers)).status;
  };
  const guess = { password: 'not this one' };
  const from = (address: number) => ({ 'X-Forwarded-For': `192.0.2.${address}` });
  for (let address = 1; address <= 4; address += 1) {
    for (let n = 0; n < 5; n += 1) expect(await attempt(guess, from(address))).toBe(401);
    expect(await attempt(guess, from(address)), 'five of an address in a quarter of an hour').toBe(429);
  }
  expect(await attempt(guess, from(5)), 'twenty of all addresses in an hour').toBe(429);
  await superuser.query(`update control.sign_in_failure set at = at - interval '16 minutes'`);
  expect(await attempt(guess, from(6))).toBe(429);
  await nextCode();
  expect(await attempt({}, from(7)), 'a browser that is not known').toBe(429);
  expect(await attempt({}, { Cookie: otherDevice }), 'a browser of another account').toBe(429);
  expect(await attempt({}, { Cookie: `${device.slice(0, -4)}AAAA` }), 'a forged cookie').toBe(429);
  expect(await attempt({}, { ...from(1), Cookie: device }), 'a known browser at the address of a stranger').toBe(200);
  await nextCode();
  for (let n = 0; n < 5; n += 1) expect(await attempt(guess, { Cookie: device })).toBe(401);
  expect(await attempt({}, { Cookie: device }), 'a known browser has five attempts of its own').toBe(429);
  await forgetFailures();
});

test('an address that fails for many names is blocked too', async () => {
  await forgetFailures();
  const responses = [];
  for (let n = 0; n < 32; n += 1) responses.push((await signIn(`name ${n}`)).status);
  expect(responses.slice(0, 30).every((status) => status === 401)).toBe(true);
  expect(responses.slice(30)).toEqual([429, 429]);
  await forgetFailures();
});

test('the addresses of one IPv6 network count as one: a client may use any of them', async () => {
  await forgetFailures();
  const attempt = async (name: string, address: string) => {
    const body = { name, password, second: codeNow() };
    const headers = { 'X-Forwarded-For': address };
    return (await anonymous.request('POST', '/console/api/sign-in/local', body, headers)).status;
  };
  for (let n = 1; n <= 5; n += 1) expect(await attempt('Iga', `2001:db8:0:1::${n}`)).toBe(401);
  expect(await attempt('Iga', '2001:db8:0:1:ffff::6'), 'five of an address').toBe(429);
  expect(await attempt('Iga', '2001:db8:0:2::1'), 'another network').toBe(401);
  for (let n = 6; n <= 30; n += 1) expect(await attempt(`name ${n}`, `2001:db8:0:1::${n}`)).toBe(401);
  expect(await attempt('name 31', '2001:db8:0:1::31'), 'thirty for all names').toBe(429);
  await forgetFailures();
});

test('signing in ends the previous session, signing out ends the current one, and the database contains neither secret', async () => {
  const first = sessionOf(await setUp('Hana'));
  await nextCode();
  const again = await anonymous.request(
    'POST',
    '/console/api/sign-in/local',
    { name: 'Hana', password, second: codeNow() },
    { Cookie: `sid=${first}` },
  );
  expect(again.status, again.text).toBe(200);
  const second = sessionOf(again);
  expect((await me(first)).status).toBe(401);
  expect((await me(second)).status).toBe(200);
  const out = await anonymous.request('POST', '/console/api/sign-out', {}, { Cookie: `sid=${second}` });
  expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
  expect((await me(second)).status).toBe(401);
  const { rows } = await superuser.query(
    `select (select jsonb_agg(to_jsonb(s)) from control.console_session s)::text || (select jsonb_agg(to_jsonb(c)) from control.member_credential c)::text ||
            (select jsonb_agg(to_jsonb(e)) from control.admin_event e)::text as everything`,
  );
  for (const hidden of [first, second, password]) expect(rows[0].everything).not.toContain(hidden);
});

test('a member who sets up an account in the browser of another one is signed in, and the other one is signed out', async () => {
  const admin = sessionOf(await setUp('Hela'));
  for (const role of ['viewer', 'admin'] as const) {
    const body = {
      token: await running.createSetUpToken(role),
      name: `Next ${role}`,
      password,
      totp: { secret, code: codeNow() },
    };
    const before = role === 'viewer' ? admin : last;
    const created = await anonymous.request('POST', '/console/api/set-up', body, { Cookie: `sid=${before}` });
    expect(created.status, created.text).toBe(200);
    expect(created.body.recoveryCodes).toHaveLength(10);
    expect((await me(before)).body.error.code).toBe('SESSION_ENDED');
    last = sessionOf(created);
    expect((await me(last)).body.member.name).toBe(`Next ${role}`);
  }
  const { rows } = await superuser.query(
    `select m.name from control.admin_event e join control.member m on e.actor = 'member:' || m.id where e.action = 'signed out' and m.name in ('Hela', 'Next viewer') order by e.number`,
  );
  expect(rows).toEqual([{ name: 'Hela' }, { name: 'Next viewer' }]);
});
let last = '';

test('recovery codes are returned although no session can begin, and the account signs in later', async () => {
  await superuser.query(`
    create function control.fail_session() returns trigger language plpgsql as 'begin raise exception ''no session''; end';
    create trigger fail_session before insert on control.console_session for each row execute function control.fail_session()`);
  const created = await setUp('Heinrich').finally(() =>
    superuser.query('drop trigger fail_session on control.console_session; drop function control.fail_session()'),
  );
  expect(created.status, created.text).toBe(200);
  expect(created.body.recoveryCodes).toHaveLength(10);
  expect(created.headers.getSetCookie().filter((cookie) => cookie.startsWith('sid='))).toEqual([]);
  expect((await signIn('Heinrich', { second: created.body.recoveryCodes[0] })).status).toBe(200);
});

test('a disabled account is refused, which the audit log names, and its recovery code is not used up', async () => {
  const { body } = await setUp('Helena');
  await superuser.query(`update control.member set disabled_at = clock_timestamp() where name = 'Helena'`);
  await nextCode();
  for (const second of [codeNow(), body.recoveryCodes[0]])
    expect(await signIn('Helena', { second })).toMatchObject({
      status: 403,
      body: { error: { code: 'FORBIDDEN', message: 'Your account is disabled. Contact an administrator.' } },
    });
  const { rows } = await superuser.query(
    `select e.action, (select count(*)::int from control.member_credential c where c.member_id = m.id and c.consumed_at is not null) as consumed
       from control.admin_event e join control.member m on m.name = 'Helena' and e.subject_id = left(encode(sha256(convert_to(m.subject, 'UTF8')), 'hex'), 16)
      where e.subject_type = 'account'`,
  );
  expect(rows).toEqual([
    { action: 'sign-in failed', consumed: 0 },
    { action: 'sign-in failed', consumed: 0 },
  ]);
});

test('requests without user activity do not extend the session', async () => {
  const sid = sessionOf(await setUp('Halszka'));
  const idle = (minutes: number) =>
    superuser.query('update control.console_session set seen_at = seen_at - make_interval(mins => $1)', [minutes]);
  const send = (headers: object) =>
    anonymous.request('GET', '/console/api/me', undefined, { Cookie: `sid=${sid}`, ...headers });
  await idle(20);
  expect((await send({ 'X-User-Inactive': '1' })).status).toBe(200);
  await idle(9);
  expect((await send({})).status).toBe(200);
  await idle(29);
  expect((await send({ 'X-User-Inactive': '1' })).status).toBe(200);
  await idle(2);
  expect((await send({})).body.error.code).toBe('NOT_SIGNED_IN');
});

test('an ended session is reported as ended, an expired one is not', async () => {
  const sid = sessionOf(await setUp('Honorata'));
  await superuser.query('update control.console_session set ended_at = clock_timestamp()');
  expect((await me(sid)).body.error).toMatchObject({ code: 'SESSION_ENDED' });
  expect((await me('n'.repeat(43))).body.error.code).toBe('NOT_SIGNED_IN');
});

test('two session cookies are refused', async () => {
  const sid = sessionOf(await setUp('Ida'));
  const response = await anonymous.request('GET', '/console/api/me', undefined, {
    Cookie: `sid=${'y'.repeat(43)}; sid=${sid}`,
  });
  expect(response.status).toBe(401);
});

test('sign-in, failed sign-in and sign-out are in the audit log', async () => {
  const { rows } = await superuser.query('select distinct action from control.admin_event');
  const actions = rows.map(({ action }) => action);
  for (const action of ['signed in', 'signed out', 'created']) expect(actions).toContain(action);
  expect(actions).toContain('sign-in failed');
});

test('local accounts can be disabled, and demo sign-in is available only if it is configured', async () => {
  await using closed = await createTestConsole({ TENANTSCOPE_CONSOLE_LOCAL_SIGN_IN: 'off' });
  const someone = await closed.signIn(null);
  expect((await someone.request('GET', '/console/api/sign-in')).body).toEqual({
    oidc: null,
    local: false,
    passkey: false,
    demo: false,
  });
  expect((await someone.request('POST', '/console/api/sign-in/local', {})).status).toBe(404);
  expect((await someone.request('POST', '/console/api/sign-in/demo', {})).status).toBe(404);
});
