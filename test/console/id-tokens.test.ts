import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ConsoleClient, type ConsoleResponse, createTestConsole, type TestConsole } from './test-console.ts';
import { type Forgery, newRsaKeys, startTokenIssuer, type TokenIssuer } from './token-issuer.ts';

let issuer: TokenIssuer;
let running: TestConsole;
let anonymous: ConsoleClient;

const startConsole = () =>
  createTestConsole(
    {
      TENANTSCOPE_CONSOLE_OIDC_ISSUER: issuer.issuer,
      TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID: 'console',
      TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS: 'admins',
    },
    { settings: (organizationId) => ({ TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION: organizationId }) },
  );

beforeAll(async () => {
  issuer = await startTokenIssuer('console');
  running = await startConsole();
  anonymous = await running.signIn(null);
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  issuer.metadataIssuer = null;
});

const cookieIn = (response: ConsoleResponse, name: string): string =>
  new RegExp(`^${name}=([^;]+)`).exec(
    response.headers.getSetCookie().find((line) => line.startsWith(`${name}=`)) ?? '',
  )?.[1] ?? '';

/** The session of a sign-in with an ID token that was changed; empty: refused. */
async function signIn(forgery: Forgery): Promise<string> {
  issuer.forgery = forgery;
  const begun = await anonymous.request('GET', '/console/auth/start');
  const returned = await anonymous.request('GET', issuer.callback(begun.headers.get('location') ?? ''), undefined, {
    Cookie: `oidc-state=${cookieIn(begun, 'oidc-state')}`,
  });
  return cookieIn(returned, 'sid');
}
const memberOf = async (sid: string) =>
  (await anonymous.request('GET', '/console/api/me', undefined, { Cookie: `sid=${sid}` })).body.member;

const seconds = () => Math.floor(Date.now() / 1_000);
const foreign = newRsaKeys();

test.each<[string, () => Forgery]>([
  ['that has expired', () => ({ claims: { exp: seconds() - 120 } })],
  ['without an expiry', () => ({ claims: { exp: undefined } })],
  ['that is not valid yet', () => ({ claims: { nbf: seconds() + 120 } })],
  ['for another client', () => ({ claims: { aud: 'another' } })],
  ['of another issuer', () => ({ claims: { iss: 'https://evil.example' } })],
  ['of another sign-in', () => ({ claims: { nonce: 'another' } })],
  ['signed with a key that is not published', () => ({ key: foreign.privateKey })],
  ['without a signature', () => ({ key: null })],
  ['with the algorithm none', () => ({ header: { alg: 'none' }, key: null })],
  [
    'that brings its own key',
    () => ({ header: { alg: 'RS256', jwk: foreign.publicKey.export({ format: 'jwk' }) }, key: foreign.privateKey }),
  ],
])('an ID token %s is refused', async (_, forge) => {
  expect(await signIn(forge())).toBe('');
  expect(await memberOf(await signIn({}))).toMatchObject({ role: 'admin', source: 'oidc' });
});

test('a member is the subject of the issuer, whatever name and address the provider reports', async () => {
  const identify = async (claims: Record<string, unknown>) => (await memberOf(await signIn({ claims }))).id;
  const ada = await identify({ sub: 'ada', name: 'Ada', email: 'ada@example.com' });
  expect(await identify({ sub: 'ada', name: 'Ada Nowak', email: 'nowak@example.com' })).toBe(ada);
  expect(await identify({ sub: 'mallory', name: 'Ada', email: 'ada@example.com' })).not.toBe(ada);
});

test('metadata that names another issuer than the configured one is refused', async () => {
  issuer.metadataIssuer = 'https://evil.example';
  await using fresh = await startConsole();
  const visitor = await fresh.signIn(null);
  const start = () => visitor.request('GET', '/console/auth/start');
  expect((await start()).headers.get('location')).toBe('/console/sign-in');
  issuer.metadataIssuer = null;
  expect((await start()).headers.get('location')).toContain(`${issuer.issuer}/authorize`);
});
