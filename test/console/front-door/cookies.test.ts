import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { type Answer, type TestConsole, testConsole } from '../visitor.ts';
import { frontDoor } from './stage.ts';

const { running, nobody, byProvider } = await frontDoor();

describe('cookies', () => {
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
  const setUp = async (on: TestConsole, headers: Record<string, string> = {}) => {
    const token = await on.store.change({ actor: 'cli:test', sessionId: null, requestId: null }, (transaction) =>
      on.store.signIns.makeToken(transaction, on.organizationId),
    );
    return (await on.visitor(null)).ask(
      'POST',
      '/console/api/set-up',
      {
        token,
        name: `Somebody ${Math.random()}`,
        password: 'a long enough password',
        totp: { secret, code: new TOTP({ secret }).generate() },
      },
      headers,
    );
  };
  const cookiesOf = ({ headers }: Answer) => headers.getSetCookie();

  test('on loopback the session is for no script and no other site', async () => {
    const made = await setUp(running);
    for (const each of cookiesOf(made)) expect(each).toMatch(/; Path=\/[\w/-]*; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
    const [cookie = '', ...others] = cookiesOf(made).filter((each) => each.startsWith('sid='));
    expect(others).toEqual([]);
    expect(cookie).toMatch(/^sid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/);
    const out = await nobody.ask('POST', '/console/api/sign-out', {}, { Cookie: cookie.split(';')[0] ?? '' });
    expect(cookiesOf(out)).toContain('sid=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0');
  });

  test('behind https every cookie is bound to this host and to secure connections', async () => {
    await using secure = await testConsole(
      { TENANTSCOPE_CONSOLE_URL: 'https://console.example' },
      { settings: byProvider },
    );
    const { hostname, port } = new URL(secure.origin);
    const from = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
      new Promise<{ status: number; headers: IncomingHttpHeaders }>((resolve, reject) => {
        const sent = httpRequest(
          {
            hostname,
            port,
            method,
            path,
            headers: {
              Host: 'console.example',
              Origin: 'https://console.example',
              'Sec-Fetch-Site': 'same-origin',
              'Content-Type': 'application/json',
              ...headers,
            },
          },
          (answer) =>
            answer.resume().on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers })),
        );
        sent.on('error', reject);
        sent.end(body === undefined ? undefined : JSON.stringify(body));
      });
    const token = await secure.store.change({ actor: 'cli:test', sessionId: null, requestId: null }, (transaction) =>
      secure.store.signIns.makeToken(transaction, secure.organizationId),
    );
    const wanted = {
      token,
      name: 'Ada',
      password: 'a long enough password',
      totp: { secret, code: new TOTP({ secret }).generate() },
    };
    const answers = [
      await from('POST', '/console/api/set-up', wanted),
      await from('GET', '/console/auth/start'),
      await from('GET', '/console/auth/callback?code=x&state=y'),
      await from('POST', '/console/api/sign-in/passkey/options', {}),
    ];
    const cookies = answers.flatMap(({ headers }) => headers['set-cookie'] ?? []);
    expect(new Set(cookies.map((cookie) => cookie.split('=')[0]))).toEqual(
      new Set(['__Host-sid', '__Host-round', '__Host-refused', '__Host-challenge']),
    );
    for (const cookie of cookies)
      expect(cookie).toMatch(/^__Host-[^;]*; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=\d+$/);
    for (const { headers } of answers) expect(headers['strict-transport-security']).toBe('max-age=63072000');
    // A cookie of the plain name is nobody's there.
    const [session = ''] = cookies.filter((cookie) => cookie.startsWith('__Host-sid'));
    const [named = ''] = session.split(';');
    expect((await from('GET', '/console/api/me', undefined, { Cookie: named })).status).toBe(200);
    expect((await from('GET', '/console/api/me', undefined, { Cookie: named.replace('__Host-', '') })).status).toBe(
      401,
    );
  });
});
