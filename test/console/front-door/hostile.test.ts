import { routes } from '@tenantscope/console';
import { describe, expect, test } from 'vitest';
import { apiPath, closed, everything, id, open } from './addresses.ts';
import { expectGuarded, expectRefused } from './answers.ts';
import { bodies, texts, values } from './hostile.ts';
import { frontDoor } from './stage.ts';

const { provider, running, superuser, admin, nobody, knock, signedIn, ours } = await frontDoor();

const changes = [
  ...routes
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => [`${method} ${path}`, method, apiPath(path)] as const),
  ...open.filter(([method]) => method !== 'GET').map(([method, path]) => [`${method} ${path}`, method, path] as const),
];

/** Failed tries are counted; here it is not about that. */
const forgetTries = () => superuser.query('delete from control.sign_in_failure');

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
