import { TOTP } from 'otpauth';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, type TestConsole, testConsole, type Visitor } from './visitor.ts';

let running: TestConsole;
let superuser: pg.Client;
let nobody: Visitor;

beforeAll(async () => {
  running = await testConsole();
  superuser = new pg.Client(running.database.superuser);
  await superuser.connect();
  nobody = await running.visitor(null);
}, 60_000);
afterAll(async () => {
  await superuser?.end();
  await running?.[Symbol.asyncDispose]();
});

const password = 'a long enough password';
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const codeNow = () => new TOTP({ secret }).generate();
const token = () =>
  running.store.change({ actor: 'cli:test', sessionId: null, requestId: null }, (transaction) =>
    running.store.signIns.makeToken(transaction, running.organizationId),
  );
/** An authenticator's next time has begun. */
const nextCode = () => superuser.query(`update control.person_credential set facts = '{}' where kind = 'totp'`);
const forgetFailures = () => superuser.query('delete from control.sign_in_failure');

const setUp = async (name: string, more: object = {}) =>
  nobody.ask('POST', '/console/api/set-up', {
    token: await token(),
    name,
    password,
    totp: { secret, code: codeNow() },
    ...more,
  });
const signIn = (name: string, more: object = {}) =>
  nobody.ask('POST', '/console/api/sign-in/local', { name, password, second: codeNow(), ...more });

function sessionOf(answer: Answer): string {
  const cookie = answer.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^sid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/);
  return /^sid=([\w-]{43})/.exec(cookie)?.[1] ?? '';
}
const me = (sid: string) => nobody.ask('GET', '/console/api/me', undefined, { Cookie: `sid=${sid}` });

test('the first administrator is made with a token of the host, and is signed in', async () => {
  const made = await setUp('Ada Nowak');
  expect(made.status, made.text).toBe(200);
  expect(new Set(made.body.recoveryCodes).size).toBe(10);
  expect((await me(sessionOf(made))).body).toMatchObject({
    person: { name: 'Ada Nowak', role: 'admin', source: 'local' },
  });
});

test('a token works once, and not when it is old', async () => {
  const used = await token();
  expect((await setUp('Beda', { token: used })).status).toBe(200);
  expect((await setUp('Cyril', { token: used })).body.error.code).toBe('SIGN_IN_FAILED');
  const old = await token();
  await superuser.query('update control.set_up_token set expires_at = clock_timestamp() where used_at is null');
  expect((await setUp('Cyril', { token: old })).body.error.code).toBe('SIGN_IN_FAILED');
});

test('a short password and a code that is not the authenticator’s are refused, and cost no token', async () => {
  const kept = await token();
  expect((await setUp('Dana', { token: kept, password: 'short' })).body.error.message).toContain('at least 12');
  expect((await setUp('Dana', { token: kept, totp: { secret, code: '000000' } })).status).toBe(400);
  expect((await setUp('Dana', { token: kept })).status).toBe(200);
});

test('a password and a code of the authenticator sign in, whatever the case of the name', async () => {
  await setUp('Eva Łuczak');
  await nextCode();
  expect((await me(sessionOf(await signIn('  EVA łuczak ')))).status).toBe(200);
});

test('a code works once in its time, a recovery code once at all', async () => {
  const { recoveryCodes } = (await setUp('Filip')).body;
  await nextCode();
  expect((await signIn('Filip')).status).toBe(200);
  expect((await signIn('Filip')).body.error.message).toContain('has been used');
  const [code] = recoveryCodes;
  expect((await signIn('Filip', { second: code.toLowerCase().replaceAll('-', ' ') })).status).toBe(200);
  expect((await signIn('Filip', { second: code })).body.error.code).toBe('SIGN_IN_FAILED');
  await forgetFailures();
});

test('a code that was seen is worth nothing to who saw it, from the account’s making on', async () => {
  await setUp('Gerwazy');
  expect((await signIn('Gerwazy')).body.error.message).toContain('has been used');
  await nextCode();
  expect((await signIn('Gerwazy')).status).toBe(200);
  // Authenticators and clocks differ, which is why it would still be taken for the code of half a minute ago.
  await superuser.query(`update control.person_credential set used_at = used_at - interval '40 seconds'`);
  expect((await signIn('Gerwazy')).body.error.message).toContain('has been used');
  await forgetFailures();
});

test('whatever is wrong, the answer is the same, and after five tries a quarter of an hour has to pass', async () => {
  await setUp('Greta');
  await nextCode();
  const wrong = [
    await signIn('Greta', { password: 'not this one' }),
    await signIn('Greta', { second: '123456' }),
    await signIn('nobody of that name'),
  ];
  for (const answer of wrong) {
    expect(answer.status).toBe(401);
    const { requestId, ...error } = answer.body.error;
    expect(error).toEqual({ code: 'SIGN_IN_FAILED', message: 'Name, password or code is wrong.', details: [] });
    expect(requestId).toBeTypeOf('string');
    expect(answer.headers.get('set-cookie')).toBeNull();
  }
  for (let n = 0; n < 3; n += 1) await signIn('Greta', { password: 'not this one' });
  expect((await signIn('Greta')).status).toBe(429);
  await superuser.query(`update control.sign_in_failure set at = at - interval '16 minutes'`);
  expect((await signIn('Greta')).status).toBe(200);
});

test('tries at once are not more than tries one after the other', async () => {
  await forgetFailures();
  await setUp('Grzegorz');
  const answers = await Promise.all(Array.from({ length: 20 }, () => signIn('Grzegorz', { password: 'not this one' })));
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
  await forgetFailures();
});

test('who is stopped is told until when, and the audit that it was, by account and by address', async () => {
  await forgetFailures();
  await setUp('Genowefa');
  for (let n = 0; n < 5; n += 1) await signIn('Genowefa', { password: 'not this one' });
  await superuser.query(`update control.sign_in_failure set at = at - interval '4 minutes'`);
  const { error } = (await signIn('Genowefa')).body;
  expect(error).toMatchObject({ code: 'RATE_LIMITED' });
  const [, minutes, clock] =
    /^Too many tries. Try again in (\d+) minutes, at (\d\d:\d\d) UTC.$/.exec(error.message) ?? [];
  expect(Number(minutes)).toBe(11);
  const times = [10, 11, 12].map((later) => new Date(Date.now() + later * 60_000).toISOString().slice(11, 16));
  expect(times).toContain(clock);
  for (let n = 0; n < 26; n += 1) await signIn(`nobody ${n}`);
  const { rows } = await superuser.query(
    `select chain, after from control.admin_event where act = 'sign-in failed' and after ? 'closedForNow' order by number desc limit 2`,
  );
  expect(rows.map(({ chain }) => chain)).toEqual([running.organizationId, running.organizationId]);
  expect(rows.map(({ after }) => after.closedForNow)).toEqual([['address'], ['account']]);
  await forgetFailures();
});

test('an unknown name is refused after the same work as a wrong password', async () => {
  await setUp('Gustaw');
  await nextCode();
  const timeOf = async (name: string) => {
    await forgetFailures();
    const begunMs = performance.now();
    expect((await signIn(name, { password: 'not this one' })).status).toBe(401);
    return performance.now() - begunMs;
  };
  const known: number[] = [];
  const unknown: number[] = [];
  for (let n = 0; n < 100; n += 1) {
    const name = `nobody ${n}`;
    const pair =
      n % 2 ? [await timeOf('Gustaw'), await timeOf(name)] : [await timeOf(name), await timeOf('Gustaw')].reverse();
    known.push(pair[0] ?? 0);
    unknown.push(pair[1] ?? 0);
  }
  // How often the one takes longer than the other, of all pairs: a half where they are alike, with a deviation of 0.04; 1 where no password is checked.
  const longer = known.flatMap((one) => unknown.map((other) => Number(one > other)));
  const share = longer.reduce((sum, each) => sum + each, 0) / longer.length;
  expect(share, 'share of wrong passwords that took longer than unknown names').toBeGreaterThan(0.28);
  expect(share).toBeLessThan(0.72);
  await forgetFailures();
}, 60_000);

test('an address that fails for many names is stopped too', async () => {
  await forgetFailures();
  const answers = [];
  for (let n = 0; n < 32; n += 1) answers.push((await signIn(`name ${n}`)).status);
  expect(answers.slice(0, 30).every((status) => status === 401)).toBe(true);
  expect(answers.slice(30)).toEqual([429, 429]);
  await forgetFailures();
});

test('signing in again ends the session before, signing out ends this one, and neither secret lies in the database', async () => {
  const first = sessionOf(await setUp('Hana'));
  await nextCode();
  const again = await nobody.ask(
    'POST',
    '/console/api/sign-in/local',
    { name: 'Hana', password, second: codeNow() },
    { Cookie: `sid=${first}` },
  );
  expect(again.status, again.text).toBe(200);
  const second = sessionOf(again);
  expect((await me(first)).status).toBe(401);
  expect((await me(second)).status).toBe(200);
  const out = await nobody.ask('POST', '/console/api/sign-out', {}, { Cookie: `sid=${second}` });
  expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
  expect((await me(second)).status).toBe(401);
  const { rows } = await superuser.query(
    `select (select jsonb_agg(to_jsonb(s)) from control.console_session s)::text || (select jsonb_agg(to_jsonb(c)) from control.person_credential c)::text ||
            (select jsonb_agg(to_jsonb(e)) from control.admin_event e)::text as everything`,
  );
  for (const hidden of [first, second, password]) expect(rows[0].everything).not.toContain(hidden);
});

test('what a screen asks that nobody sits at does not keep its session from going idle', async () => {
  const sid = sessionOf(await setUp('Halszka'));
  const idle = (minutes: number) =>
    superuser.query('update control.console_session set seen_at = seen_at - make_interval(mins => $1)', [minutes]);
  const ask = (headers: object) =>
    nobody.ask('GET', '/console/api/me', undefined, { Cookie: `sid=${sid}`, ...headers });
  await idle(20);
  expect((await ask({ 'X-Unattended': '1' })).status).toBe(200);
  await idle(9);
  expect((await ask({})).status).toBe(200);
  await idle(29);
  expect((await ask({ 'X-Unattended': '1' })).status).toBe(200);
  await idle(2);
  expect((await ask({})).body.error.code).toBe('NOT_SIGNED_IN');
});

test('a session that somebody ended says so, one that grew old does not', async () => {
  const sid = sessionOf(await setUp('Honorata'));
  await superuser.query('update control.console_session set ended_at = clock_timestamp()');
  expect((await me(sid)).body.error).toMatchObject({ code: 'SESSION_ENDED' });
  expect((await me('n'.repeat(43))).body.error.code).toBe('NOT_SIGNED_IN');
});

test('two cookies of one name are none: somebody put one beside ours', async () => {
  const sid = sessionOf(await setUp('Ida'));
  const answer = await nobody.ask('GET', '/console/api/me', undefined, { Cookie: `sid=${'y'.repeat(43)}; sid=${sid}` });
  expect(answer.status).toBe(401);
});

test('signing in, failing to and signing out stand in the audit', async () => {
  const { rows } = await superuser.query('select distinct act from control.admin_event');
  const acts = rows.map(({ act }) => act);
  for (const act of ['signed in', 'signed out', 'created']) expect(acts).toContain(act);
  expect(acts).toContain('sign-in failed');
});

test('local accounts may be switched off; then there is no demo sign-in either unless it was asked for', async () => {
  await using closed = await testConsole({ TENANTSCOPE_CONSOLE_LOCAL_SIGN_IN: 'off' });
  const someone = await closed.visitor(null);
  expect((await someone.ask('GET', '/console/api/sign-in')).body).toEqual({
    oidc: null,
    local: false,
    passkey: false,
    demo: false,
  });
  expect((await someone.ask('POST', '/console/api/sign-in/local', {})).status).toBe(404);
  expect((await someone.ask('POST', '/console/api/sign-in/demo', {})).status).toBe(404);
});
