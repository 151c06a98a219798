import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { type ConsoleResponse, createTestConsole, type TestConsole } from '../test-console.ts';
import { startConsole } from './running-console.ts';

const { running, anonymous, providerSettings } = await startConsole();

describe('cookies', () => {
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
  const setUp = async (on: TestConsole, headers: Record<string, string> = {}) => {
    const token = await on.createSetUpToken('admin');
    return (await on.signIn(null)).request(
      'POST',
      '/console/api/set-up',
      {
        token,
        name: `Member ${Math.random()}`,
        password: 'a long enough password',
        totp: { secret, code: new TOTP({ secret }).generate() },
      },
      headers,
    );
  };
  const readCookies = ({ headers }: ConsoleResponse) => headers.getSetCookie();

  test('on loopback the session cookie is HttpOnly and SameSite', async () => {
    const created = await setUp(running);
    for (const each of readCookies(created))
      expect(each).toMatch(/; Path=\/[\w/-]*; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
    const [cookie = '', ...others] = readCookies(created).filter((each) => each.startsWith('sid='));
    expect(others).toEqual([]);
    expect(cookie).toMatch(/^sid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/);
    const out = await anonymous.request('POST', '/console/api/sign-out', {}, { Cookie: cookie.split(';')[0] ?? '' });
    expect(readCookies(out)).toContain('sid=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0');
  });

  test('behind https every cookie is bound to this host and to secure connections', async () => {
    await using secure = await createTestConsole(
      { TENANTSCOPE_CONSOLE_URL: 'https://console.example' },
      { settings: providerSettings },
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
          (response) =>
            response.resume().on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers })),
        );
        sent.on('error', reject);
        sent.end(body === undefined ? undefined : JSON.stringify(body));
      });
    const token = await secure.createSetUpToken('admin');
    const request = {
      token,
      name: 'Ada',
      password: 'a long enough password',
      totp: { secret, code: new TOTP({ secret }).generate() },
    };
    const responses = [
      await from('POST', '/console/api/set-up', request),
      await from('GET', '/console/auth/start'),
      await from('GET', '/console/auth/callback?code=x&state=y'),
      await from('POST', '/console/api/sign-in/passkey/options', {}),
    ];
    const cookies = responses.flatMap(({ headers }) => headers['set-cookie'] ?? []);
    expect(new Set(cookies.map((cookie) => cookie.split('=')[0]))).toEqual(
      new Set(['__Host-sid', '__Host-device', '__Host-oidc-state', '__Host-sign-in-error', '__Host-challenge']),
    );
    for (const cookie of cookies)
      expect(cookie).toMatch(/^__Host-[^;]*; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=\d+$/);
    for (const { headers } of responses)
      expect(headers['strict-transport-security']).toBe('max-age=63072000; includeSubDomains');
    // Without the prefix the cookie is ignored.
    const [session = ''] = cookies.filter((cookie) => cookie.startsWith('__Host-sid'));
    const [named = ''] = session.split(';');
    expect((await from('GET', '/console/api/me', undefined, { Cookie: named })).status).toBe(200);
    expect((await from('GET', '/console/api/me', undefined, { Cookie: named.replace('__Host-', '') })).status).toBe(
      401,
    );
  });
});
