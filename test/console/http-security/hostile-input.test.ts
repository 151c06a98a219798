import { routes } from '@tenantscope/console';
import { describe, expect, test } from 'vitest';
import { createRandom, isLong } from '../../torture/random.ts';
import { allRoutes, apiPath, id, protectedRoutes, publicRoutes } from './console-paths.ts';
import { bodies, texts, values } from './hostile-values.ts';
import { expectSafeFailure, expectSecurityHeaders } from './response-expectations.ts';
import { startConsole } from './running-console.ts';

const { provider, running, superuser, admin, anonymous, send, sessionHeaders, sameOriginHeaders } =
  await startConsole();

const changes = [
  ...routes
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => [`${method} ${path}`, method, apiPath(path)] as const),
  ...publicRoutes
    .filter(([method]) => method !== 'GET')
    .map(([method, path]) => [`${method} ${path}`, method, path] as const),
];

const random = createRandom('hostile input');
/** The long form with `npm run torture` sends every combination, in 55 s of CPU time; `npm test` sends some of those that a route does not name. */
const some = <Value>(all: readonly Value[]) => (isLong ? all : random.shuffle(all).slice(0, 4));

/** Failed sign-in attempts are counted; the limit is not what is tested here. */
const clearSignInFailures = () => superuser.query('delete from control.sign_in_failure');

/** The names of the parameters that the input of a route declares. */
function listMembers(input: (typeof routes)[number]['input']): string[] {
  return 'shape' in input ? Object.keys(input.shape as object) : [];
}

describe('no input causes a server error', () => {
  test.each(changes)('%s accepts or refuses any body', async (name, method, path) => {
    const good = bodies[name] ?? {};
    const invalidBodies = [
      ...values,
      ...some(values).map((value) => ({ unexpected: value })),
      ...Object.keys(good).flatMap((member) => [
        ...some(values).map((value) => ({ ...good, [member]: value })),
        ...some(texts).map((text) => ({ ...good, [member]: { [text]: 'x' } })),
        ...some(texts).map((text) => ({ ...good, [member]: [text] })),
      ]),
      ...(name === 'POST /playground/run' ? texts : some(texts)).map((text) => ({
        ...good,
        parameters: { severity: text },
      })),
    ];
    const isOpen = publicRoutes.some(([, one]) => one === path);
    await clearSignInFailures();
    let requests = 0;
    for (const body of invalidBodies) {
      // There is no API behind this console.
      if (name === 'POST /playground/run' && JSON.stringify(body).includes(running.tenantIds[0] ?? '')) continue;
      if (requests++ % 4 === 0) await clearSignInFailures();
      const response = await (isOpen ? anonymous : admin).request(method, path, body);
      expectSafeFailure(
        response,
        `${name} ${JSON.stringify(body)?.slice(0, 200)} ${response.status} ${response.text.slice(0, 200)}`,
      );
    }
    const raw = [
      '',
      '{',
      '{"name":',
      'null',
      '[]',
      '"x"',
      '{"__proto__":{"isAdmin":true}}',
      '{"constructor":{"prototype":{"isAdmin":true}}}',
      `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
      `{"response":${'{"x":'.repeat(10_000)}1${'}'.repeat(10_000)}}`,
      `{"name":"${'x'.repeat(1_000_000)}"}`,
      '\ufeff{}',
    ];
    for (const body of raw) {
      const response = await send(method, path, { ...(isOpen ? {} : sessionHeaders()), ...sameOriginHeaders() }, body);
      expectSafeFailure(response, `${name} ${body.slice(0, 60)} ${response.status} ${response.text.slice(0, 200)}`);
    }
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
    await superuser.query('update control.organization set key_lifetime_days = null');
    expect((await admin.request('GET', '/console/api/me')).status, 'still signed in').toBe(200);
  });

  const names = [
    'view',
    'tenant',
    'tenantId',
    'cursor',
    'from',
    'to',
    'actor',
    'action',
    'subjectType',
    'subjectId',
    'state',
    'reason',
    'topic',
    'id',
    'reauthenticate',
    'code',
    'iss',
    'error',
    '__proto__',
  ];
  const getRoutes = allRoutes.filter(([method]) => method === 'GET');
  /** Those of a public route are not declared in one place: all names may be its own. */
  const ownNames = new Map(
    routes.filter(({ method }) => method === 'GET').map(({ path, input }) => [apiPath(path), listMembers(input)]),
  );
  test.each(getRoutes)(
    '%s %s accepts or refuses any parameter',
    async (_, path) => {
      const get = async (query: string) => {
        const request = () => send('GET', `${path}?${query}`, sessionHeaders());
        let response = await request();
        // On a busy machine a statement may exceed its time limit; with an input that causes that, each one does.
        for (let again = 0; response.status === 503 && again < 3; again++) response = await request();
        const name = `${path}?${query.slice(0, 100)} ${response.status} ${response.text.slice(0, 200)}`;
        expectSecurityHeaders(response, name);
        expect(response.status, name).toBeLessThan(500);
      };
      const encode = (text: string) => (text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80');
      const own = ownNames.get(path) ?? names;
      for (const parameter of new Set([...names, ...own])) {
        const sent = own.includes(parameter) ? texts : some(texts);
        await Promise.all(sent.map((text) => get(`${parameter}=${encode(text)}`)));
        await Promise.all(
          [`${parameter}=x&${parameter}=y`, `${parameter}[]=x`, `${parameter}[x]=y`, parameter, `${parameter}=`].map(
            get,
          ),
        );
      }
    },
    120_000,
  );

  test.each(protectedRoutes.filter(([, path]) => path.includes(id)))(
    '%s %s accepts or refuses any id',
    async (method, path) => {
      const hostile = [
        ...texts.filter((text) => !/[\ud800-\udfff]/.test(text)),
        id.toUpperCase(),
        `${id} `,
        `{${id}}`,
        'x'.repeat(8_000),
      ];
      for (const text of hostile) {
        const response = await admin.request(method, path.replace(id, encodeURIComponent(text)));
        const name = `${method} ${path} ${text.slice(0, 50)} ${response.status} ${response.text.slice(0, 200)}`;
        expectSecurityHeaders(response, name);
        expect([400, 403, 404, 414], name).toContain(response.status);
      }
    },
  );

  test('redirects stay on this host for any target', async () => {
    const visitors = [sessionHeaders(), {}];
    for (const headers of visitors)
      for (const to of [
        ...texts,
        '//evil.example',
        '/\\evil.example',
        'https://evil.example',
        '/\t/evil.example',
        '/%09/evil.example',
        '/x\r\nSet-Cookie: sid=evil',
        '/ą',
        '/../../evil',
        '/api/audit/export',
        '\\\\evil.example',
      ])
        for (const path of [
          '/console/sign-in',
          '/console/auth/start',
          '/console/keys',
          '/console/set-up',
          '/console/oidc-popup',
        ]) {
          const response = await send(
            'GET',
            `${path}?to=${encodeURIComponent(to.toWellFormed()).slice(0, 2_000)}`,
            headers,
          );
          const name = `${path} ${to.slice(0, 50)} ${response.status} ${response.headers.location}`;
          expectSecurityHeaders(response, name);
          expect(response.status, name).toBeLessThan(500);
          expect(JSON.stringify(response.headers['set-cookie'] ?? ''), name).not.toContain('evil');
          if (response.headers.location === undefined) continue;
          const { origin } = new URL(response.headers.location, running.origin);
          expect([running.origin, provider.issuer], name).toContain(origin);
        }
  });

  test('a request that is too large is refused before it is read', async () => {
    for (const length of [70_000, 5_000_000]) {
      const response = await send(
        'POST',
        '/console/api/keys',
        { ...sessionHeaders(), ...sameOriginHeaders() },
        JSON.stringify({ name: 'x'.repeat(length) }),
      ).catch((error: NodeJS.ErrnoException) => error.code);
      if (typeof response === 'object') expect(response.status).toBe(400);
      else expect(['EPIPE', 'ECONNRESET']).toContain(response);
    }
    const cookies = await send('GET', '/console/api/me', { Cookie: `${'x=y; '.repeat(2_000)}sid=${admin.secret}` });
    expect(cookies.status).toBe(200);
    expect((await send('GET', `/console/api/audit?actor=${'x'.repeat(20_000)}`, sessionHeaders())).status).toBe(431);
  });
});
