import { roles } from '@tenantscope/store/console';
import { describe, expect, test } from 'vitest';
import { routePermissions } from '../route-permissions.ts';
import type { ConsoleClient, ConsoleResponse } from '../test-console.ts';
import { allRoutes, apiPath, protectedRoutes } from './console-paths.ts';
import { startConsole } from './running-console.ts';

const { running, superuser, admin, send, sessionHeaders, sameOriginHeaders } = await startConsole();

describe('only pages of the console read its data', () => {
  const reading = allRoutes.filter(([method, path]) => method === 'GET' && path.startsWith('/console/api'));
  test.each(reading)('%s %s refuses requests from other sites and records no event', async (_, path) => {
    const events = async () => (await superuser.query('select count(*)::int as n from control.admin_event')).rows[0].n;
    const before = await events();
    for (const site of ['cross-site', 'same-site']) {
      const response = await send('GET', path, { ...sessionHeaders(), 'Sec-Fetch-Site': site });
      expect(response.status, `${path} ${site} ${response.text.slice(0, 100)}`).toBe(403);
    }
    expect(await events()).toBe(before);
    for (const site of ['same-origin', 'none'])
      expect((await send('GET', path, { ...sessionHeaders(), 'Sec-Fetch-Site': site })).status).not.toBe(403);
  });

  test('a link from another site opens a page', async () => {
    expect((await send('GET', '/console/keys', { ...sessionHeaders(), 'Sec-Fetch-Site': 'cross-site' })).status).toBe(
      200,
    );
  });
});

describe('access is refused', () => {
  const statusAndCode = ({ status, body }: ConsoleResponse) => [status, body?.error?.code];
  const states: [string, () => Promise<ConsoleClient>, string][] = [
    [
      'an ended session',
      () => endedVisitor(`update control.console_session set ended_at = clock_timestamp() where member_id = $1`),
      'SESSION_ENDED',
    ],
    [
      'an expired session',
      () => endedVisitor(`update control.console_session set ends_at = clock_timestamp() where member_id = $1`),
      'NOT_SIGNED_IN',
    ],
    [
      'an idle session',
      () =>
        endedVisitor(
          `update control.console_session set seen_at = clock_timestamp() - interval '31 minutes' where member_id = $1`,
        ),
      'NOT_SIGNED_IN',
    ],
    [
      'a disabled member',
      () => endedVisitor(`update control.member set disabled_at = clock_timestamp() where id = $1`),
      'SESSION_ENDED',
    ],
  ];
  async function endedVisitor(statement: string): Promise<ConsoleClient> {
    const visitor = await running.signIn('admin');
    await superuser.query(statement, [visitor.memberId]);
    return visitor;
  }
  test.each(states)('%s has access to no route', async (_, createVisitor, code) => {
    const visitor = await createVisitor();
    for (const [method, path] of protectedRoutes)
      expect(statusAndCode(await visitor.request(method, path)), `${method} ${path}`).toEqual([401, code]);
  });

  test('a session is identified by its cookie only', async () => {
    for (const headers of [
      { Authorization: `Bearer ${admin.secret}` },
      { 'X-Session': admin.secret ?? '' },
      { Cookie: `SID=${admin.secret}` },
      { Cookie: `__Host-sid=${admin.secret}` },
      { Cookie: `sid="${admin.secret}"` },
      { Cookie: `sid=${admin.secret}x` },
      { Cookie: `sid=${admin.secret}; sid=${admin.secret}` },
      { Cookie: `sid=${admin.secret?.toUpperCase()}` },
    ] as Record<string, string>[])
      expect((await send('GET', '/console/api/me', headers)).status, JSON.stringify(headers)).toBe(401);
    expect((await send('GET', `/console/api/me?sid=${admin.secret}`)).status).toBe(401);
  });

  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'text/json',
    '',
  ];
  test.each(allRoutes.filter(([method]) => method !== 'GET'))(
    '%s %s refuses other content types, sites and origins',
    async (method, path) => {
      for (const type of types) {
        const response = await send(
          method,
          path,
          { ...sessionHeaders(), ...sameOriginHeaders(), 'Content-Type': type },
          '{}',
        );
        expect(response.status, `${type} ${response.text}`).toBe(415);
      }
      const sites = ['cross-site', 'same-site', 'none', '', 'Same-Origin', 'same-origin, cross-site'];
      for (const site of sites)
        expect(
          (await send(method, path, { ...sessionHeaders(), ...sameOriginHeaders(), 'Sec-Fetch-Site': site }, '{}'))
            .status,
          site,
        ).toBe(403);
      const origins = [
        'null',
        'https://evil.example',
        `${running.origin}.evil.example`,
        `${running.origin}/`,
        running.origin.toUpperCase(),
        running.origin.replace('http:', 'https:'),
      ];
      for (const origin of origins)
        expect(
          (await send(method, path, { ...sessionHeaders(), ...sameOriginHeaders(), Origin: origin }, '{}')).status,
          origin,
        ).toBe(403);
      // Headers that older browsers and other clients omit.
      const { Origin, ...without } = sameOriginHeaders();
      expect((await send(method, path, { ...sessionHeaders(), ...without }, '{}')).status).toBe(403);
      expect(
        (
          await send(
            method,
            path,
            { ...sessionHeaders(), Origin: Origin ?? '', 'Content-Type': 'application/json' },
            '{}',
          )
        ).status,
      ).toBe(403);
    },
  );
});

test('HEAD has the same role check as GET', async () => {
  for (const role of roles) {
    const visitor = await running.signIn(role);
    for (const [route, permitted] of routePermissions.filter(([name]) => name.startsWith('GET '))) {
      const path = route.slice('GET '.length);
      const response = await send('HEAD', apiPath(path), { Cookie: `sid=${visitor.secret}` });
      const name = `${role} HEAD ${path}`;
      if (permitted.includes(role)) expect([200, 404], name).toContain(response.status);
      else expect([403, 404], name).toContain(response.status);
    }
  }
});
