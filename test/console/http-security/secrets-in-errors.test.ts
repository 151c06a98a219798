import { expect, test } from 'vitest';
import { id } from './console-paths.ts';
import { startConsole } from './running-console.ts';

const { running, superuser, admin } = await startConsole();

test('a secret that is sent by mistake is refused, not returned and not stored', async () => {
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
  const responses = [
    await admin.request('POST', '/console/api/keys', {
      name: `of ${secret}`,
      tenantId: running.tenantIds[0],
      scopes: [],
      expiresAt: null,
    }),
    await admin.request('POST', '/console/api/keys', { [secret]: 1 }),
    await admin.request('POST', '/console/api/playground/run', run),
    await admin.request('POST', '/console/api/dead-letters/requests', { action: 'discard', ids: [id], reason: secret }),
    await admin.request('GET', `/console/api/keys?view=${secret}`),
    await admin.request('GET', `/console/api/audit?subjectId=${secret}`),
    await admin.request('GET', `/console/api/keys/${secret}`),
    await admin.request('POST', '/console/api/sign-in/local', { name: secret, password: 'x', second: '123456' }),
  ];
  for (const response of responses) {
    expect([400, 404], response.text).toContain(response.status);
    expect(response.text).not.toContain(secret);
  }
  const { rows } = await superuser.query(
    `select (select jsonb_agg(to_jsonb(e)) from control.admin_event e)::text || coalesce((select jsonb_agg(to_jsonb(r)) from control.playground_run r)::text, '') as stored`,
  );
  expect(rows[0].stored).not.toContain(secret.slice(12));
});
