import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { clientSecret, startTestProvider, type TestProvider } from './identity-provider.ts';
import { type ConsoleClient, type ConsoleResponse, createTestConsole, type TestConsole } from './test-console.ts';

let provider: TestProvider;
let running: TestConsole;
let superuser: pg.Client;
let anonymous: ConsoleClient;

beforeAll(async () => {
  provider = await startTestProvider();
  const settings = (organizationId: string) => ({
    TENANTSCOPE_CONSOLE_OIDC_ISSUER: provider.issuer,
    TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID: 'console',
    TENANTSCOPE_CONSOLE_OIDC_CLIENT_SECRET: clientSecret,
    TENANTSCOPE_CONSOLE_OIDC_NAME: 'Company login',
    TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS: 'security-admins',
    TENANTSCOPE_CONSOLE_OIDC_OFFICER_GROUPS: 'compliance, privacy',
    TENANTSCOPE_CONSOLE_OIDC_VIEWER_GROUPS: 'everybody',
    TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION: organizationId,
  });
  running = await createTestConsole({}, { settings });
  provider.register(running.origin);
  await provider.stop();
  await provider.start();
  superuser = new pg.Client(running.database.superuser);
  await superuser.connect();
  anonymous = await running.signIn(null);
});
afterAll(async () => {
  await superuser?.end();
  await running?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});
beforeEach(() => superuser.query('delete from control.sign_in_failure'));

const cookieIn = (response: ConsoleResponse, name: string): string =>
  new RegExp(`^${name}=([^;]+)`).exec(
    response.headers.getSetCookie().find((line) => line.startsWith(`${name}=`) && !line.startsWith(`${name}=;`)) ?? '',
  )?.[1] ?? '';

/** Where a browser stands that was sent to the provider. */
async function depart(query = '', headers: Record<string, string> = {}) {
  const response = await anonymous.request('GET', `/console/auth/start${query}`, undefined, headers);
  return { response, url: response.headers.get('location') ?? '', round: cookieIn(response, 'oidc-state') };
}
const comeBack = (url: string, cookie: string) => {
  const { pathname, search } = new URL(url);
  return anonymous.request('GET', pathname + search, undefined, { Cookie: cookie });
};

async function signIn(account: Record<string, unknown> & { sub: string }): Promise<ConsoleResponse> {
  provider.account = account;
  const { url, round } = await depart();
  return comeBack(await provider.signIn(url), `oidc-state=${round}`);
}
const me = (sid: string) => anonymous.request('GET', '/console/api/me', undefined, { Cookie: `sid=${sid}` });

/** What the page of sign-in will say. */
async function refusedOf(response: ConsoleResponse) {
  expect(response.status).toBe(302);
  expect(response.headers.get('location')).toBe('/console/sign-in');
  expect(cookieIn(response, 'sid')).toBe('');
  const headers = { Cookie: `sign-in-error=${cookieIn(response, 'sign-in-error')}` };
  return (await anonymous.request('GET', '/console/api/sign-in', undefined, headers)).body.error;
}
const ada = { sub: 'ada', name: 'Ada Nowak', email: 'ada@example.com', groups: ['everybody', 'security-admins'] };

test('sign-in through the provider is offered under its name', async () => {
  expect((await anonymous.request('GET', '/console/api/sign-in')).body.oidc).toEqual({ name: 'Company login' });
});

test('a provider account signs in with the highest role of its groups', async () => {
  const response = await signIn(ada);
  expect(response.headers.get('location'), JSON.stringify(await response.text)).toBe('/console/');
  expect((await me(cookieIn(response, 'sid'))).body.member).toMatchObject({
    name: 'Ada Nowak',
    email: 'ada@example.com',
    role: 'admin',
    source: 'oidc',
  });
  const officer = await signIn({ sub: 'beda', name: 'Beda', groups: ['privacy'] });
  expect((await me(cookieIn(officer, 'sid'))).body.member).toMatchObject({ name: 'Beda', role: 'officer' });
});

test('the role follows the groups at the next sign-in, and sessions with the previous role end', async () => {
  const before = cookieIn(await signIn({ sub: 'cyril', groups: ['compliance'] }), 'sid');
  expect((await me(before)).body.member.role).toBe('officer');
  const after = cookieIn(await signIn({ sub: 'cyril', groups: ['everybody'] }), 'sid');
  expect((await me(after)).body.member.role).toBe('viewer');
  expect((await me(before)).status).toBe(401);
});

test('a role that groups decide cannot be changed in the console', async () => {
  const { body } = await anonymous.request('GET', '/console/api/me', undefined, {
    Cookie: `sid=${cookieIn(await signIn({ sub: 'filip', groups: ['everybody'] }), 'sid')}`,
  });
  const admin = await running.signIn('admin');
  const changed = await admin.request('POST', `/console/api/members/${body.member.id}`, { role: 'admin' });
  expect(changed).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining('groups') } } });
  expect(
    (await admin.request('POST', `/console/api/members/${body.member.id}`, { tenantIds: running.tenantIds })).status,
  ).toBe(200);
});

test('an account without a group is refused with the groups to request, and its sessions end', async () => {
  const open = cookieIn(await signIn({ sub: 'dana', groups: ['everybody'] }), 'sid');
  const refused = await refusedOf(await signIn({ sub: 'dana', groups: ['gardening'] }));
  expect(refused).toEqual({
    code: 'FORBIDDEN',
    message:
      'Your account has no role here. Request membership in one of: security-admins, compliance, privacy, everybody.',
  });
  expect((await me(open)).status).toBe(401);
  expect((await refusedOf(await signIn({ sub: 'new here' }))).code).toBe('FORBIDDEN');
  const { rows } = await superuser.query(`select 1 from control.member where name = 'new here'`);
  expect(rows).toEqual([]);
  const { rows: ended } = await superuser.query(
    `select e.actor, e.after from control.admin_event e join control.member m on m.id::text = e.subject_id
      where e.action = 'ended' and e.subject_type = 'session' and m.name = 'dana'`,
  );
  expect(ended).toEqual([{ actor: 'sign-in:oidc', after: { sessions: 1 } }]);
});

test('an account with more groups than fit into a token learns what to change at the provider', async () => {
  const refused = await refusedOf(
    await signIn({ sub: 'edda', _claim_names: { groups: 'a' }, _claim_sources: { a: { endpoint: provider.issuer } } }),
  );
  expect(refused).toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining('more groups than') });
});

test('a disabled account is refused, which the audit log names', async () => {
  await signIn({ sub: 'gisela', groups: ['everybody'] });
  await superuser.query(`update control.member set disabled_at = clock_timestamp() where subject like '% gisela'`);
  const count = async () =>
    (await superuser.query(`select count(*)::int as n from control.admin_event where action = 'sign-in failed'`))
      .rows[0].n;
  const before = await count();
  const refused = await refusedOf(await signIn({ sub: 'gisela', groups: ['everybody'] }));
  expect(refused.message).toContain('Your account is disabled');
  expect(await count()).toBe(before + 1);
});

test('the last administrator retains the role without the group but cannot sign in', async () => {
  const sid = cookieIn(await signIn(ada), 'sid');
  await superuser.query(`update control.member set disabled_at = clock_timestamp() where subject not like '% ada'`);
  const refused = await refusedOf(await signIn({ ...ada, groups: ['everybody'] }));
  expect(refused.message).toContain('you are the last one');
  expect((await me(sid)).status).toBe(401);
  await superuser.query('update control.member set disabled_at = null');
});

test.each<[string, (url: URL) => void]>([
  ['another state', (url) => url.searchParams.set('state', 'another')],
  ['another code', (url) => url.searchParams.set('code', 'another')],
  ['another issuer', (url) => url.searchParams.set('iss', 'https://evil.example')],
  ['no code', (url) => url.searchParams.delete('code')],
  ['an error of the provider', (url) => void url.searchParams.set('error', 'access_denied')],
])('a callback with %s is refused', async (_, forge) => {
  provider.account = ada;
  const { url, round } = await depart();
  const returned = new URL(await provider.signIn(url));
  forge(returned);
  expect((await refusedOf(await comeBack(returned.href, `oidc-state=${round}`))).code).toBe('SIGN_IN_FAILED');
});

test('a callback requires the OIDC state cookie of the browser that started the sign-in', async () => {
  provider.account = ada;
  const [one, other] = [await depart(), await depart()];
  const returned = await provider.signIn(one.url);
  expect((await refusedOf(await comeBack(returned, `oidc-state=${other.round}`))).code).toBe('SIGN_IN_FAILED');
  expect((await refusedOf(await comeBack(returned, ''))).code).toBe('SIGN_IN_FAILED');
  const forged = Buffer.from(JSON.stringify({ state: 'x', nonce: 'x', verifier: 'x' })).toString('base64url');
  expect((await refusedOf(await comeBack(returned, `oidc-state=${forged}`))).code).toBe('SIGN_IN_FAILED');
  const truncated = `${one.round.slice(0, -2)}${one.round.endsWith('AA') ? 'BB' : 'AA'}`;
  expect((await refusedOf(await comeBack(returned, `oidc-state=${truncated}`))).code).toBe('SIGN_IN_FAILED');
});

test('a new sign-in removes the reason of an earlier refusal that no page has shown', async () => {
  expect(cookieIn(await signIn({ sub: 'dana', groups: ['gardening'] }), 'sign-in-error')).not.toBe('');
  const { response } = await depart();
  expect(response.headers.getSetCookie()).toContainEqual(expect.stringMatching(/^sign-in-error=;.*Max-Age=0$/));
});

test('of two sign-ins that a browser starts, the later one succeeds, also after the callback of the other', async () => {
  provider.account = ada;
  const [one, other] = [await depart(), await depart()];
  const refused = await comeBack(await provider.signIn(one.url), `oidc-state=${other.round}`);
  expect((await refusedOf(refused)).message).toContain('another browser or window');
  expect(refused.headers.getSetCookie().join()).not.toContain('oidc-state=');
  const response = await comeBack(await provider.signIn(other.url), `oidc-state=${other.round}`);
  expect(cookieIn(response, 'sid')).not.toBe('');
});

test.each(['nonce', 'code_challenge'])('a replaced %s is refused', async (name) => {
  provider.account = ada;
  const { url, round } = await depart();
  const forged = new URL(url);
  forged.searchParams.set(name, 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
  const response = await comeBack(await provider.signIn(forged.href), `oidc-state=${round}`);
  expect((await refusedOf(response)).code).toBe('SIGN_IN_FAILED');
});

test('a callback can be used once', async () => {
  provider.account = ada;
  const { url, round } = await depart();
  const returned = await provider.signIn(url);
  expect((await comeBack(returned, `oidc-state=${round}`)).headers.get('location')).toBe('/console/');
  expect((await refusedOf(await comeBack(returned, `oidc-state=${round}`))).code).toBe('SIGN_IN_FAILED');
});

test('a callback redirects to a page of the console only', async () => {
  provider.account = ada;
  for (const [to, page] of [
    ['/console/keys?view=ended', '/console/keys?view=ended'],
    ['https://evil.example/console/', '/console/'],
    ['//evil.example', '/console/'],
    ['/console/api/sign-out', '/console/'],
    ['/console/\\evil', '/console/'],
    ["/console/keys?filter=(it's)*", "/console/keys?filter=(it's)*"],
    [`/console/playground?parameters=${'a'.repeat(1_900)}`, `/console/playground?parameters=${'a'.repeat(1_900)}`],
    [`/console/playground?parameters=${'a'.repeat(4_000)}`, '/console/playground'],
    [`/console/${'a'.repeat(4_000)}`, '/console/'],
  ] as const) {
    const { url, round } = await depart(`?to=${encodeURIComponent(to)}`);
    const response = await comeBack(await provider.signIn(url), `oidc-state=${round}`);
    expect(response.headers.get('location'), to).toBe(page);
  }
});

test('re-authentication through the provider confirms only the session that started it', async () => {
  const sid = cookieIn(await signIn(ada), 'sid');
  const late = `update control.console_session set authenticated_at = clock_timestamp() - interval '16 minutes'`;
  await superuser.query(late);
  const dangerous = () =>
    anonymous.request('PATCH', '/console/api/organization', { keyLifetimeDays: 365 }, { Cookie: `sid=${sid}` });
  expect((await dangerous()).body.error.code).toBe('REAUTHENTICATE');
  const again = async () => {
    const { url, round } = await depart('?reauthenticate=1', { Cookie: `sid=${sid}` });
    expect(new URL(url).searchParams.get('max_age')).toBe('0');
    return comeBack(await provider.signIn(url), `sid=${sid}; oidc-state=${round}`);
  };
  provider.account = { sub: 'beda', groups: ['security-admins'] };
  expect((await refusedOf(await again())).message).toContain('authenticated another account');
  expect((await dangerous()).body.error.code).toBe('REAUTHENTICATE');
  provider.account = ada;
  expect((await again()).headers.get('location')).toBe('/console/');
  expect((await dangerous()).status).toBe(200);
});

test('signing out continues at the provider', async () => {
  const sid = cookieIn(await signIn(ada), 'sid');
  const { body } = await anonymous.request('POST', '/console/api/sign-out', {}, { Cookie: `sid=${sid}` });
  const url = new URL(body.signOutUrl);
  expect(url.origin).toBe(provider.issuer);
  expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${running.origin}/console/sign-in`);
});

test('an unavailable provider is reported, and sign-in works again afterwards', async () => {
  await using fresh = await createTestConsole(
    { TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID: 'console', TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS: 'a' },
    {
      settings: (organizationId) => ({
        TENANTSCOPE_CONSOLE_OIDC_ISSUER: provider.issuer,
        TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION: organizationId,
      }),
    },
  );
  const someone = await fresh.signIn(null);
  await provider.stop();
  const away = await someone.request('GET', '/console/auth/start');
  expect(away.headers.get('location')).toBe('/console/sign-in');
  const headers = { Cookie: `sign-in-error=${cookieIn(away, 'sign-in-error')}` };
  const { body } = await someone.request('GET', '/console/api/sign-in', undefined, headers);
  expect(body.error.code).toBe('SERVICE_UNAVAILABLE');
  await provider.start();
  expect((await someone.request('GET', '/console/auth/start')).headers.get('location')).toContain(provider.issuer);
});
