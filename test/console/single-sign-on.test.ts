import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { clientSecret, type TestProvider, testProvider } from './provider.ts';
import { type Answer, type TestConsole, testConsole, type Visitor } from './visitor.ts';

let provider: TestProvider;
let running: TestConsole;
let superuser: pg.Client;
let nobody: Visitor;

beforeAll(async () => {
  provider = await testProvider();
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
  running = await testConsole({}, { settings });
  provider.register(running.origin);
  await provider.stop();
  await provider.start();
  superuser = new pg.Client(running.database.superuser);
  await superuser.connect();
  nobody = await running.visitor(null);
}, 60_000);
afterAll(async () => {
  await superuser?.end();
  await running?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});
beforeEach(() => superuser.query('delete from control.sign_in_failure'));

const cookieIn = (answer: Answer, name: string): string =>
  new RegExp(`^${name}=([^;]+)`).exec(
    answer.headers.getSetCookie().find((line) => line.startsWith(`${name}=`) && !line.startsWith(`${name}=;`)) ?? '',
  )?.[1] ?? '';

/** Where a browser stands that was sent to the provider. */
async function depart(query = '', headers: Record<string, string> = {}) {
  const answer = await nobody.ask('GET', `/console/auth/start${query}`, undefined, headers);
  return { answer, url: answer.headers.get('location') ?? '', round: cookieIn(answer, 'round') };
}
const comeBack = (url: string, cookie: string) => {
  const { pathname, search } = new URL(url);
  return nobody.ask('GET', pathname + search, undefined, { Cookie: cookie });
};

async function signIn(person: Record<string, unknown> & { sub: string }): Promise<Answer> {
  provider.person = person;
  const { url, round } = await depart();
  return comeBack(await provider.walk(url), `round=${round}`);
}
const me = (sid: string) => nobody.ask('GET', '/console/api/me', undefined, { Cookie: `sid=${sid}` });

/** What the page of sign-in will say. */
async function refusedOf(answer: Answer) {
  expect(answer.status).toBe(302);
  expect(answer.headers.get('location')).toBe('/console/sign-in');
  expect(cookieIn(answer, 'sid')).toBe('');
  const headers = { Cookie: `refused=${cookieIn(answer, 'refused')}` };
  return (await nobody.ask('GET', '/console/api/sign-in', undefined, headers)).body.refused;
}
const ada = { sub: 'ada', name: 'Ada Nowak', email: 'ada@example.com', groups: ['everybody', 'security-admins'] };

test('the way in is offered by its name', async () => {
  expect((await nobody.ask('GET', '/console/api/sign-in')).body.oidc).toEqual({ name: 'Company login' });
});

test('whoever the provider knows signs in with the highest role that its groups give', async () => {
  const answer = await signIn(ada);
  expect(answer.headers.get('location'), JSON.stringify(await answer.text)).toBe('/console/');
  expect((await me(cookieIn(answer, 'sid'))).body.person).toMatchObject({
    name: 'Ada Nowak',
    email: 'ada@example.com',
    role: 'admin',
    source: 'oidc',
  });
  const officer = await signIn({ sub: 'beda', name: 'Beda', groups: ['privacy'] });
  expect((await me(cookieIn(officer, 'sid'))).body.person).toMatchObject({ name: 'Beda', role: 'officer' });
});

test('a role follows the groups at the next sign-in, and sessions of the role before end', async () => {
  const before = cookieIn(await signIn({ sub: 'cyril', groups: ['compliance'] }), 'sid');
  expect((await me(before)).body.person.role).toBe('officer');
  const after = cookieIn(await signIn({ sub: 'cyril', groups: ['everybody'] }), 'sid');
  expect((await me(after)).body.person.role).toBe('viewer');
  expect((await me(before)).status).toBe(401);
});

test('a role that comes from groups is not given here', async () => {
  const { body } = await nobody.ask('GET', '/console/api/me', undefined, {
    Cookie: `sid=${cookieIn(await signIn({ sub: 'filip', groups: ['everybody'] }), 'sid')}`,
  });
  const admin = await running.visitor('admin');
  const changed = await admin.ask('POST', `/console/api/people/${body.person.id}`, { role: 'admin' });
  expect(changed).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining('groups') } } });
  expect((await admin.ask('POST', `/console/api/people/${body.person.id}`, { tenantIds: [] })).status).toBe(200);
});

test('without a group nobody enters, is told what to ask for, and what was open ends', async () => {
  const open = cookieIn(await signIn({ sub: 'dana', groups: ['everybody'] }), 'sid');
  const refused = await refusedOf(await signIn({ sub: 'dana', groups: ['gardening'] }));
  expect(refused).toEqual({
    code: 'FORBIDDEN',
    message: 'Your account has no role here. Ask for one of: security-admins, compliance, privacy, everybody.',
  });
  expect((await me(open)).status).toBe(401);
  expect((await refusedOf(await signIn({ sub: 'new here' }))).code).toBe('FORBIDDEN');
  const { rows } = await superuser.query(`select 1 from control.person where name = 'new here'`);
  expect(rows).toEqual([]);
});

test('the last administrator does not lose the role by a group, but does not enter either', async () => {
  const sid = cookieIn(await signIn(ada), 'sid');
  await superuser.query(`update control.person set disabled_at = clock_timestamp() where subject not like '% ada'`);
  const refused = await refusedOf(await signIn({ ...ada, groups: ['everybody'] }));
  expect(refused.message).toContain('you are the last one');
  expect((await me(sid)).status).toBe(401);
  await superuser.query('update control.person set disabled_at = null');
});

test.each<[string, (url: URL) => void]>([
  ['another state', (url) => url.searchParams.set('state', 'another')],
  ['another code', (url) => url.searchParams.set('code', 'another')],
  ['another issuer', (url) => url.searchParams.set('iss', 'https://evil.example')],
  ['no code', (url) => url.searchParams.delete('code')],
  ['a refusal of the provider', (url) => void url.searchParams.set('error', 'access_denied')],
])('%s in what comes back lets nobody in', async (_, forge) => {
  provider.person = ada;
  const { url, round } = await depart();
  const returned = new URL(await provider.walk(url));
  forge(returned);
  expect((await refusedOf(await comeBack(returned.href, `round=${round}`))).code).toBe('SIGN_IN_FAILED');
});

test('what one browser began another does not end, nor without the cookie, nor by one of its own making', async () => {
  provider.person = ada;
  const [one, other] = [await depart(), await depart()];
  const returned = await provider.walk(one.url);
  expect((await refusedOf(await comeBack(returned, `round=${other.round}`))).code).toBe('SIGN_IN_FAILED');
  expect((await refusedOf(await comeBack(returned, ''))).code).toBe('SIGN_IN_FAILED');
  const forged = Buffer.from(JSON.stringify({ state: 'x', nonce: 'x', verifier: 'x' })).toString('base64url');
  expect((await refusedOf(await comeBack(returned, `round=${forged}`))).code).toBe('SIGN_IN_FAILED');
  const torn = `${one.round.slice(0, -2)}${one.round.endsWith('AA') ? 'BB' : 'AA'}`;
  expect((await refusedOf(await comeBack(returned, `round=${torn}`))).code).toBe('SIGN_IN_FAILED');
});

test.each(['nonce', 'code_challenge'])('a %s that was put in its place on the way lets nobody in', async (name) => {
  provider.person = ada;
  const { url, round } = await depart();
  const forged = new URL(url);
  forged.searchParams.set(name, 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
  const answer = await comeBack(await provider.walk(forged.href), `round=${round}`);
  expect((await refusedOf(answer)).code).toBe('SIGN_IN_FAILED');
});

test('a way back that was gone is not gone again', async () => {
  provider.person = ada;
  const { url, round } = await depart();
  const returned = await provider.walk(url);
  expect((await comeBack(returned, `round=${round}`)).headers.get('location')).toBe('/console/');
  expect((await refusedOf(await comeBack(returned, `round=${round}`))).code).toBe('SIGN_IN_FAILED');
});

test('one comes back to a page of the console and nowhere else', async () => {
  provider.person = ada;
  for (const [to, page] of [
    ['/console/keys?view=ended', '/console/keys?view=ended'],
    ['https://evil.example/console/', '/console/'],
    ['//evil.example', '/console/'],
    ['/console/api/sign-out', '/console/'],
    ['/console/\\evil', '/console/'],
  ] as const) {
    const { url, round } = await depart(`?to=${encodeURIComponent(to)}`);
    const answer = await comeBack(await provider.walk(url), `round=${round}`);
    expect(answer.headers.get('location'), to).toBe(page);
  }
});

test('who is asked again goes another round, and proves this session; nobody else does', async () => {
  const sid = cookieIn(await signIn(ada), 'sid');
  const late = `update control.console_session set authenticated_at = clock_timestamp() - interval '16 minutes'`;
  await superuser.query(late);
  const dangerous = () =>
    nobody.ask('PATCH', '/console/api/organization', { keyLifetimeDays: 365 }, { Cookie: `sid=${sid}` });
  expect((await dangerous()).body.error.code).toBe('REAUTHENTICATE');
  const again = async () => {
    const { url, round } = await depart('?reauthenticate=1', { Cookie: `sid=${sid}` });
    expect(new URL(url).searchParams.get('max_age')).toBe('0');
    return comeBack(await provider.walk(url), `sid=${sid}; round=${round}`);
  };
  provider.person = { sub: 'beda', groups: ['security-admins'] };
  expect((await refusedOf(await again())).message).toContain('Somebody else');
  expect((await dangerous()).body.error.code).toBe('REAUTHENTICATE');
  provider.person = ada;
  expect((await again()).headers.get('location')).toBe('/console/');
  expect((await dangerous()).status).toBe(200);
});

test('signing out goes on at the provider', async () => {
  const sid = cookieIn(await signIn(ada), 'sid');
  const { body } = await nobody.ask('POST', '/console/api/sign-out', {}, { Cookie: `sid=${sid}` });
  const url = new URL(body.signOutUrl);
  expect(url.origin).toBe(provider.issuer);
  expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${running.origin}/console/sign-in`);
});

test('while the provider is away it is said, and afterwards people come in', async () => {
  await using fresh = await testConsole(
    { TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID: 'console', TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS: 'a' },
    {
      settings: (organizationId) => ({
        TENANTSCOPE_CONSOLE_OIDC_ISSUER: provider.issuer,
        TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION: organizationId,
      }),
    },
  );
  const someone = await fresh.visitor(null);
  await provider.stop();
  const away = await someone.ask('GET', '/console/auth/start');
  expect(away.headers.get('location')).toBe('/console/sign-in');
  const headers = { Cookie: `refused=${cookieIn(away, 'refused')}` };
  const { body } = await someone.ask('GET', '/console/api/sign-in', undefined, headers);
  expect(body.refused.code).toBe('SERVICE_UNAVAILABLE');
  await provider.start();
  expect((await someone.ask('GET', '/console/auth/start')).headers.get('location')).toContain(provider.issuer);
});
