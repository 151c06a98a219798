import { readFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { routes } from '@tenantscope/console';
import { buildConsolePages } from '@tenantscope/local';
import { roles } from '@tenantscope/store';
import { TOTP } from 'otpauth';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientSecret, type TestProvider, testProvider } from './provider.ts';
import { type Answer, type TestConsole, testConsole, type Visitor } from './visitor.ts';

// What the console answers to whoever knocks in a way that its pages never do.

let provider: TestProvider;
let running: TestConsole;
let admin: Visitor;
let nobody: Visitor;
let superuser: pg.Client;

beforeAll(async () => {
  await buildConsolePages();
  provider = await testProvider();
  running = await testConsole(
    {},
    {
      settings: (organizationId) => ({
        TENANTSCOPE_CONSOLE_OIDC_ISSUER: provider.issuer,
        TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID: 'console',
        TENANTSCOPE_CONSOLE_OIDC_CLIENT_SECRET: clientSecret,
        TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS: 'admins',
        TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION: organizationId,
        TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION: organizationId,
      }),
    },
  );
  provider.register(running.origin);
  await provider.stop();
  await provider.start();
  superuser = new pg.Client(running.database.superuser);
  await superuser.connect();
  admin = await running.visitor('admin');
  await running.visitor('admin');
  nobody = await running.visitor(null);
}, 90_000);
afterAll(async () => {
  await superuser?.end();
  await running?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});

const id = '00000000-0000-4000-8000-000000000000';
const apiPath = (path: string) => `/console/api${path.replace(':id', id)}`;

/** What answers without a session. */
const open: [string, string][] = [
  ['GET', '/console/api/sign-in'],
  ['GET', '/console/auth/start'],
  ['GET', '/console/auth/callback'],
  ['POST', '/console/api/sign-in/passkey/options'],
  ['POST', '/console/api/sign-in/passkey/verify'],
  ['POST', '/console/api/set-up/passkey/options'],
  ['POST', '/console/api/sign-in/demo'],
  ['POST', '/console/api/sign-in/local'],
  ['POST', '/console/api/set-up'],
  ['POST', '/console/api/sign-out'],
];
const closed = routes.map(({ method, path }): [string, string] => [method, apiPath(path)]);
const everything = [...open, ...closed];
const paths = [...new Set(everything.map(([, path]) => path))];

/** By the wire: whatever is written there is sent, which fetch would mend. */
function knock(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string | Buffer,
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port, host } = new URL(running.origin);
    const sent = httpRequest({ hostname, port, method, path, headers: { Host: host, ...headers } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
const signedIn = () => ({ Cookie: `sid=${admin.secret}` });
const ours = () => ({ Origin: running.origin, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' });

test('what answers without a session is known here, all of it', async () => {
  const source = await readFile(new URL('../../apps/console/src/sign-in/routes.ts', import.meta.url), 'utf8');
  const registered = [...source.matchAll(/fastify\.(get|post|put|patch|delete|route|all)\(\s*'([^']+)'/g)];
  expect(registered.map(([, method = '', path]) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
    open.map(([method, path]) => `${method} ${path}`).sort(),
  );
});

/** Of every answer whatsoever: the policy, no word for other origins, nothing kept but assets, no word of the inside. */
function expectGuarded(answer: { status: number; headers: IncomingHttpHeaders | Headers; text: string }, name: string) {
  const header = (which: string) =>
    answer.headers instanceof Headers
      ? answer.headers.get(which)
      : ((answer.headers[which] as string | undefined) ?? null);
  const all = answer.headers instanceof Headers ? [...answer.headers.keys()] : Object.keys(answer.headers);
  expect(header('content-security-policy'), name).toContain("default-src 'none'");
  expect(header('content-security-policy'), name).toContain("frame-ancestors 'none'");
  expect(header('x-content-type-options'), name).toBe('nosniff');
  expect(header('referrer-policy'), name).toBe('no-referrer');
  expect(header('cross-origin-opener-policy'), name).toBe('same-origin');
  expect(header('cross-origin-resource-policy'), name).toBe('same-origin');
  expect(header('cache-control'), name).toBe('no-store');
  expect(
    all.filter((each) => /^access-control-|^server$|^x-powered-by$|^timing-allow/.test(each)),
    name,
  ).toEqual([]);
  expect(answer.text, name).not.toMatch(/node_modules|at \w+ \(|SQLSTATE|control\.\w+|models\.\w+|slonik|relation "/);
}

describe('whatever the method, the spelling or the origin, answers are guarded and none fails', () => {
  const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY'];
  test.each(paths)('%s', async (path) => {
    const declared = new Set(everything.filter(([, one]) => one === path).map(([method]) => method));
    for (const method of methods) {
      const answer = await knock(method, path, { ...signedIn(), ...ours(), Origin: 'https://evil.example' });
      const name = `${method} ${path} ${answer.status} ${answer.text}`;
      expectGuarded(answer, name);
      expect(answer.status, name).toBeLessThan(500);
      if (declared.has(method) || (method === 'HEAD' && declared.has('GET'))) continue;
      expect([400, 403, 404, 405], name).toContain(answer.status);
    }
    const asked = await knock('OPTIONS', path, {
      Origin: 'https://evil.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type',
    });
    expect([403, 404], `preflight of ${path}`).toContain(asked.status);
    expectGuarded(asked, `preflight of ${path}`);
  });

  const spellings: [string, (path: string) => string][] = [
    ['a slash behind it', (path) => `${path}/`],
    ['capitals', (path) => path.toUpperCase()],
    ['two slashes', (path) => path.replace('/api/', '//api/')],
    ['an encoded letter', (path) => path.replace('/console', '/%63onsole')],
    ['an encoded api', (path) => path.replace('/api', '/%61pi')],
    ['an encoded slash', (path) => path.replace('/api/', '/api%2f')],
    ['a step up and down', (path) => path.replace('/api/', '/api/x/../')],
    ['an encoded step', (path) => path.replace('/api/', '/api/x/%2e%2e/')],
    ['a semicolon', (path) => `${path};x=1`],
    ['a torn encoding', (path) => `${path}%`],
    ['what is no UTF-8', (path) => `${path}%ff`],
    ['a NUL', (path) => `${path}%00`],
    ['a backslash', (path) => path.replace('/api/', '\\api\\')],
    ['an address', (path) => `http://evil.example${path}`],
    ['two slashes before', (path) => `/${path}`],
  ];
  test.each(spellings)('%s', async (_, spell) => {
    for (const path of paths) {
      const answer = await knock('GET', spell(path));
      const name = `${spell(path)} ${answer.status} ${answer.text.slice(0, 200)}`;
      expectGuarded(answer, name);
      expect(answer.status, name).toBeLessThan(500);
      // Without a session nothing is told, however it is spelt; the one page and the way to sign in are for everybody.
      if (answer.status === 200) expect(answer.text, name).toMatch(/^<!doctype html>|^\{"oidc":/i);
      const changed = await knock(
        'POST',
        spell(path),
        { ...ours(), ...signedIn(), Origin: 'https://evil.example' },
        '{}',
      );
      expect([400, 403, 404, 421], `POST ${name}`).toContain(changed.status);
    }
  });

  test('pages, assets, unknown addresses and other names of this host', async () => {
    const page = await knock('GET', '/console/', signedIn());
    expectGuarded(page, 'the page');
    const assets = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
    expect(assets.length).toBeGreaterThan(0);
    for (const path of assets) {
      const asset = await knock('GET', path, { Origin: 'https://evil.example' });
      expect(asset.status, path).toBe(200);
      const cached = asset.headers['cache-control'];
      expect(cached, path).toBe(path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-store');
      expectGuarded({ ...asset, text: '', headers: { ...asset.headers, 'cache-control': 'no-store' } }, path);
    }
    for (const path of [
      '/',
      '/nothing',
      '/console',
      '/console/assets/nothing.js',
      '/console/../package.json',
      '/console/%2e%2e/package.json',
      '/console/assets/..%2f..%2fpackage.json',
      '/%',
      '/*',
    ])
      expectGuarded(await knock('GET', path), path);
    for (const host of ['evil.example', `evil.example:${new URL(running.origin).port}`]) {
      const answer = await knock('GET', '/console/api/me', { ...signedIn(), Host: host });
      expect([400, 421], host).toContain(answer.status);
      expect((await knock('GET', '/console/keys', { Host: host })).status, host).toBeGreaterThanOrEqual(400);
    }
  });
});

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

/** Texts that come to nobody by accident. */
const texts = [
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff',
  '\u202e\u0007',
  '__proto__',
  'constructor',
  'toString',
  "'; drop table keys; --",
  '%00',
  '-1',
  '1e999',
  'NaN',
  '9007199254740993',
  '99999999999999999999999999',
  '0x10',
  '+275760-09-13',
  '294277-01-01',
  '0000-00-00',
  '9999-12-31T23:59:60Z',
  '{}',
  '[]',
  'ą'.repeat(1_000),
];
const values: unknown[] = [
  ...texts,
  null,
  true,
  0,
  -1,
  1e308,
  1.5,
  2 ** 53,
  [],
  {},
  [[]],
  ['\0'],
  [null],
  { length: 1 },
  { toString: 'x' },
  JSON.parse('{"then":{}}'),
  Array.from({ length: 3_000 }, () => 'x'),
];

/** What each change takes, well formed; one member after the other is spoilt. */
const bodies: Record<string, Record<string, unknown>> = {
  'PATCH /organization': { keyLifetimeDays: 30, was: null },
  'POST /keys': {
    name: 'x',
    tenantId: id,
    scopes: ['logs:read'],
    expiresAt: '2099-01-01',
    replaces: id,
    oldKeyEndsAt: '2099-01-01',
  },
  'PATCH /keys/:id': { name: 'x', expiresAt: '2099-01-01', was: { name: 'x', expiresAt: null } },
  'POST /playground/run': {
    operation: 'ping',
    tenantId: id,
    mode: 'rest',
    id: 'x',
    parameters: { severity: 'high' },
    scopesOf: 'me',
  },
  'POST /dead-letters/requests': { act: 'dryRun', ids: [id], reason: 'x' },
  'POST /people/:id': {
    role: 'viewer',
    tenantIds: [id],
    disabled: false,
    was: { role: 'viewer', tenantIds: null, disabled: false },
  },
  'POST /reauthenticate': {
    password: 'x',
    second: '123456',
    passkey: { id: 'x', rawId: 'x', response: {} },
    demo: true,
  },
  'POST /credentials/passkey': {
    name: 'x',
    response: { id: 'x', rawId: 'x', response: { clientDataJSON: 'x', attestationObject: 'x' } },
  },
  'POST /console/api/sign-in/local': { name: 'x', password: 'x', second: '123456' },
  'POST /console/api/sign-in/passkey/verify': {
    response: { id: 'x', rawId: 'x', response: { clientDataJSON: 'x', authenticatorData: 'x', signature: 'x' } },
  },
  'POST /console/api/set-up/passkey/options': { name: 'x' },
  'POST /console/api/set-up': {
    token: 'x'.repeat(32),
    name: 'x',
    password: 'a long enough password',
    totp: { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', code: '123456' },
    passkey: { name: 'x', response: {} },
  },
};
const changes = [
  ...routes
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => [`${method} ${path}`, method, apiPath(path)] as const),
  ...open.filter(([method]) => method !== 'GET').map(([method, path]) => [`${method} ${path}`, method, path] as const),
];

/** Failed tries are counted; here it is not about that. */
const forgetTries = () => superuser.query('delete from control.sign_in_failure');

const expectRefused = (
  answer: { status: number; headers: Headers | IncomingHttpHeaders; text: string },
  name: string,
) => {
  expectGuarded(answer, name);
  expect(answer.status, name).toBeLessThan(500);
  if (answer.status >= 400)
    expect(JSON.parse(answer.text).error, name).toMatchObject({
      code: expect.any(String),
      message: expect.any(String),
    });
};

describe('nothing that is sent makes the console fail', () => {
  test.each(changes)('%s: bodies', async (name, method, path) => {
    const good = bodies[name] ?? {};
    const spoilt = [
      ...values,
      ...values.map((value) => ({ unheardOf: value })),
      ...Object.keys(good).flatMap((member) => [
        ...values.map((value) => ({ ...good, [member]: value })),
        ...texts.map((text) => ({ ...good, [member]: { [text]: 'x' } })),
        ...texts.map((text) => ({ ...good, [member]: [text] })),
      ]),
      ...texts.map((text) => ({ ...good, parameters: { severity: text } })),
    ];
    const isOpen = open.some(([, one]) => one === path);
    await forgetTries();
    let asked = 0;
    for (const body of spoilt) {
      // The console answers for itself here: there is no api behind it.
      if (name === 'POST /playground/run' && JSON.stringify(body).includes(running.tenantIds[0] ?? '')) continue;
      if (asked++ % 4 === 0) await forgetTries();
      const answer = await (isOpen ? nobody : admin).ask(method, path, body);
      expectRefused(
        answer,
        `${name} ${JSON.stringify(body)?.slice(0, 200)} ${answer.status} ${answer.text.slice(0, 200)}`,
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
      const answer = await knock(method, path, { ...(isOpen ? {} : signedIn()), ...ours() }, body);
      expectRefused(answer, `${name} ${body.slice(0, 60)} ${answer.status} ${answer.text.slice(0, 200)}`);
    }
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
    await superuser.query('update control.organization set key_lifetime_days = null');
    expect((await admin.ask('GET', '/console/api/me')).status, 'still signed in').toBe(200);
  });

  const names = [
    'view',
    'tenant',
    'tenantId',
    'cursor',
    'from',
    'to',
    'actor',
    'act',
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
  const asking = everything.filter(([method]) => method === 'GET');
  test.each(asking)(
    '%s %s: parameters',
    async (_, path) => {
      const ask = async (query: string) => {
        const answer = await knock('GET', `${path}?${query}`, signedIn());
        const name = `${path}?${query.slice(0, 100)} ${answer.status} ${answer.text.slice(0, 200)}`;
        expectGuarded(answer, name);
        expect(answer.status, name).toBeLessThan(500);
      };
      const spelt = (text: string) => (text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80');
      for (const parameter of names) {
        await Promise.all(texts.map((text) => ask(`${parameter}=${spelt(text)}`)));
        await Promise.all(
          [`${parameter}=x&${parameter}=y`, `${parameter}[]=x`, `${parameter}[x]=y`, parameter, `${parameter}=`].map(
            ask,
          ),
        );
      }
    },
    120_000,
  );

  test.each(closed.filter(([, path]) => path.includes(id)))('%s %s: what stands for an id', async (method, path) => {
    const hostile = [
      ...texts.filter((text) => !/[\ud800-\udfff]/.test(text)),
      id.toUpperCase(),
      `${id} `,
      `{${id}}`,
      'x'.repeat(8_000),
    ];
    for (const text of hostile) {
      const answer = await admin.ask(method, path.replace(id, encodeURIComponent(text)));
      const name = `${method} ${path} ${text.slice(0, 50)} ${answer.status} ${answer.text.slice(0, 200)}`;
      expectGuarded(answer, name);
      expect([400, 403, 404, 414], name).toContain(answer.status);
    }
  });

  test('pages that lead on do so on this host, whatever is asked', async () => {
    const visitors = [signedIn(), {}];
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
          '/console/came-back',
        ]) {
          const answer = await knock(
            'GET',
            `${path}?to=${encodeURIComponent(to.toWellFormed()).slice(0, 2_000)}`,
            headers,
          );
          const name = `${path} ${to.slice(0, 50)} ${answer.status} ${answer.headers.location}`;
          expectGuarded(answer, name);
          expect(answer.status, name).toBeLessThan(500);
          expect(JSON.stringify(answer.headers['set-cookie'] ?? ''), name).not.toContain('evil');
          if (answer.headers.location === undefined) continue;
          const { origin } = new URL(answer.headers.location, running.origin);
          expect([running.origin, provider.issuer], name).toContain(origin);
        }
  });

  test('what is far too much is refused before it is read', async () => {
    for (const length of [70_000, 5_000_000]) {
      const answer = await knock(
        'POST',
        '/console/api/keys',
        { ...signedIn(), ...ours() },
        JSON.stringify({ name: 'x'.repeat(length) }),
      ).catch((error: NodeJS.ErrnoException) => error.code);
      if (typeof answer === 'object') expect(answer.status).toBe(400);
      else expect(['EPIPE', 'ECONNRESET']).toContain(answer);
    }
    const cookies = await knock('GET', '/console/api/me', { Cookie: `${'x=y; '.repeat(2_000)}sid=${admin.secret}` });
    expect(cookies.status).toBe(200);
    expect((await knock('GET', `/console/api/audit?actor=${'x'.repeat(20_000)}`, signedIn())).status).toBe(431);
  });
});

test('a secret that is sent by mistake is refused, said back to nobody and kept nowhere', async () => {
  const { secret } = await running.admin.keys.create({
    name: 'Pasted',
    scopes: [],
    owner: { tenantId: running.tenantIds[0] ?? '' },
    expiresAt: null,
  });
  const run = {
    operation: 'list_logs',
    tenantId: running.tenantIds[0],
    mode: 'rest',
    parameters: { action: `x ${secret} y` },
    scopesOf: 'me',
  };
  const answers = [
    await admin.ask('POST', '/console/api/keys', {
      name: `of ${secret}`,
      tenantId: running.tenantIds[0],
      scopes: [],
      expiresAt: null,
    }),
    await admin.ask('POST', '/console/api/keys', { [secret]: 1 }),
    await admin.ask('POST', '/console/api/playground/run', run),
    await admin.ask('POST', '/console/api/dead-letters/requests', { act: 'discard', ids: [id], reason: secret }),
    await admin.ask('GET', `/console/api/keys?view=${secret}`),
    await admin.ask('GET', `/console/api/audit?subjectId=${secret}`),
    await admin.ask('GET', `/console/api/keys/${secret}`),
    await admin.ask('POST', '/console/api/sign-in/local', { name: secret, password: 'x', second: '123456' }),
  ];
  for (const answer of answers) {
    expect([400, 404], answer.text).toContain(answer.status);
    expect(answer.text).not.toContain(secret);
  }
  const { rows } = await superuser.query(
    `select (select jsonb_agg(to_jsonb(e)) from control.admin_event e)::text || coalesce((select jsonb_agg(to_jsonb(r)) from control.playground_run r)::text, '') as kept`,
  );
  expect(rows[0].kept).not.toContain(secret.slice(12));
});

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
      {
        settings: (organizationId) => ({
          TENANTSCOPE_CONSOLE_OIDC_ISSUER: provider.issuer,
          TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID: 'console',
          TENANTSCOPE_CONSOLE_OIDC_CLIENT_SECRET: clientSecret,
          TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS: 'admins',
          TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION: organizationId,
        }),
      },
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
