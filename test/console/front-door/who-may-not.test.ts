import { routes } from '@tenantscope/console';
import { roles } from '@tenantscope/store';
import { describe, expect, test } from 'vitest';
import type { Answer, Visitor } from '../visitor.ts';
import { apiPath, closed, everything } from './addresses.ts';
import { frontDoor } from './stage.ts';

const { running, superuser, admin, knock, signedIn, ours } = await frontDoor();

describe('data is for pages of ours', () => {
  const reading = everything.filter(([method, path]) => method === 'GET' && path.startsWith('/console/api'));
  test.each(reading)(
    '%s %s: no other page has it fetched, embedded or opened, and leaves no trace by trying',
    async (_, path) => {
      const events = async () =>
        (await superuser.query('select count(*)::int as n from control.admin_event')).rows[0].n;
      const before = await events();
      for (const site of ['cross-site', 'same-site']) {
        const answer = await knock('GET', path, { ...signedIn(), 'Sec-Fetch-Site': site });
        expect(answer.status, `${path} ${site} ${answer.text.slice(0, 100)}`).toBe(403);
      }
      expect(await events()).toBe(before);
      for (const site of ['same-origin', 'none'])
        expect((await knock('GET', path, { ...signedIn(), 'Sec-Fetch-Site': site })).status).not.toBe(403);
    },
  );

  test('a link from elsewhere opens a page', async () => {
    expect((await knock('GET', '/console/keys', { ...signedIn(), 'Sec-Fetch-Site': 'cross-site' })).status).toBe(200);
  });
});

describe('who may not', () => {
  const told = ({ status, body }: Answer) => [status, body?.error?.code];
  const states: [string, () => Promise<Visitor>, string][] = [
    [
      'a session that was ended',
      () => left(`update control.console_session set ended_at = clock_timestamp() where person_id = $1`),
      'SESSION_ENDED',
    ],
    [
      'a session that grew old',
      () => left(`update control.console_session set ends_at = clock_timestamp() where person_id = $1`),
      'NOT_SIGNED_IN',
    ],
    [
      'a session that went idle',
      () =>
        left(
          `update control.console_session set seen_at = clock_timestamp() - interval '31 minutes' where person_id = $1`,
        ),
      'NOT_SIGNED_IN',
    ],
    [
      'somebody whose account is closed',
      () => left(`update control.person set disabled_at = clock_timestamp() where id = $1`),
      'SESSION_ENDED',
    ],
  ];
  async function left(statement: string): Promise<Visitor> {
    const visitor = await running.visitor('admin');
    await superuser.query(statement, [visitor.personId]);
    return visitor;
  }
  test.each(states)('%s has no route', async (_, leave, code) => {
    const visitor = await leave();
    for (const [method, path] of closed)
      expect(told(await visitor.ask(method, path)), `${method} ${path}`).toEqual([401, code]);
  });

  test('a session is named by its cookie and by nothing else', async () => {
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
      expect((await knock('GET', '/console/api/me', headers)).status, JSON.stringify(headers)).toBe(401);
    expect((await knock('GET', `/console/api/me?sid=${admin.secret}`)).status).toBe(401);
  });

  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'text/json',
    '',
  ];
  test.each(everything.filter(([method]) => method !== 'GET'))('%s %s: bodies of other types', async (method, path) => {
    for (const type of types) {
      const answer = await knock(method, path, { ...signedIn(), ...ours(), 'Content-Type': type }, '{}');
      expect(answer.status, `${type} ${answer.text}`).toBe(415);
    }
    const sites = ['cross-site', 'same-site', 'none', '', 'Same-Origin', 'same-origin, cross-site'];
    for (const site of sites)
      expect((await knock(method, path, { ...signedIn(), ...ours(), 'Sec-Fetch-Site': site }, '{}')).status, site).toBe(
        403,
      );
    const origins = [
      'null',
      'https://evil.example',
      `${running.origin}.evil.example`,
      `${running.origin}/`,
      running.origin.toUpperCase(),
      running.origin.replace('http:', 'https:'),
    ];
    for (const origin of origins)
      expect((await knock(method, path, { ...signedIn(), ...ours(), Origin: origin }, '{}')).status, origin).toBe(403);
    // What an older browser, or no browser, leaves out.
    const { Origin, ...without } = ours();
    expect((await knock(method, path, { ...signedIn(), ...without }, '{}')).status).toBe(403);
    expect(
      (await knock(method, path, { ...signedIn(), Origin: Origin ?? '', 'Content-Type': 'application/json' }, '{}'))
        .status,
    ).toBe(403);
  });
});

test('every role’s routes are told apart for HEAD as for GET', async () => {
  for (const role of roles) {
    const visitor = await running.visitor(role);
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      const answer = await knock('HEAD', apiPath(route.path), { Cookie: `sid=${visitor.secret}` });
      const name = `${role} HEAD ${route.path}`;
      if (route.roles.includes(role)) expect([200, 404], name).toContain(answer.status);
      else expect([403, 404], name).toContain(answer.status);
    }
  }
});
