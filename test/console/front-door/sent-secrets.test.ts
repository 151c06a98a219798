import { expect, test } from 'vitest';
import { id } from './addresses.ts';
import { frontDoor } from './stage.ts';

const { running, superuser, admin } = await frontDoor();

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
