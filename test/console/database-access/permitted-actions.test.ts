import { describe, expect, test } from 'vitest';
import { attemptAs, createAccessFixture, type MemberName } from './access-fixture.ts';
import { digest, insertDeadLetterRequest, insertKey, insertSetUpToken } from './statements.ts';

const { ours, admin, members, ids } = await createAccessFixture();
// Next to ann, so that she is not the last administrator of all tenants.
await ours.signIn('admin');

describe('a permitted action', () => {
  test.each<[string, MemberName, () => string]>([
    ['renaming a key', 'nina', () => `update control.api_key set name = 'x' where id = '${ids.key}'`],
    [
      'revoking an organization-wide key',
      'ann',
      () => `update control.api_key set revoked_at = clock_timestamp() where id = '${ids.whole}'`,
    ],
    ['creating a replacement key', 'nina', () => insertKey(ours, ours.tenantIds[0], { replaces: `'${ids.second}'` })],
    [
      'running the playground as an officer',
      'olga',
      () => insertKey(ours, ours.tenantIds[1], { kind: `'playground'` }),
    ],
    ['requesting a replay of dead letters', 'nina', () => insertDeadLetterRequest(ours.organizationId, members.nina)],
    [
      'promoting a member to administrator',
      'ann',
      () => `update control.member set role = 'admin' where id = '${members.victor.memberId}'`,
    ],
    [
      'demoting oneself while another administrator remains',
      'ann',
      () => `update control.member set role = 'viewer' where id = '${members.ann.memberId}'`,
    ],
    [
      'inviting a member to a tenant',
      'ann',
      () => insertSetUpToken(ours.organizationId, { tenant_ids: `array['${ours.tenantIds[0]}']::uuid[]` }),
    ],
    ['removing an own credential', 'ann', () => `delete from control.member_credential where id = '${ids.spent}'`],
    [
      'ending the session of another member',
      'ann',
      () => `update control.console_session set ended_at = clock_timestamp() where id = '${members.olga.sessionId}'`,
    ],
  ])('passes every check: %s', async (_, who, sql) => {
    expect(await attemptAs(admin, members[who], sql())).toBe(1);
  });
});

test('a new credential is in the audit log of the organization, without its secret', async () => {
  await admin.query('begin');
  await admin.query(`select set_config('tenantscope.actor', $1, true), set_config('tenantscope.session', $2, true)`, [
    `member:${members.ann.memberId}`,
    members.ann.sessionId,
  ]);
  await admin.query(
    `insert into control.member_credential (member_id, kind, name, secret) values ($1, 'passkey', 'A key', 'a secret value')`,
    [members.ann.memberId],
  );
  await admin.query('commit');
  const { body } = await members.ann.request('GET', '/console/api/audit?subjectType=member_credential');
  expect(body.events[0]).toMatchObject({ action: 'created', after: { kind: 'passkey', name: 'A key' } });
  expect(JSON.stringify(body)).not.toContain('a secret value');
});

describe('a sign-in and its session', () => {
  const countEvents = `(select count(*) from control.admin_event where action = 'signed in')`;
  test.each([
    [
      'beginning',
      () => `select control.begin_session(${digest()}, '${members.olga.memberId}', interval '1 hour', null, null)`,
    ],
    ['confirming', () => `select control.confirm_session('${members.olga.sessionId}')`],
  ])('%s a session writes one event', async (_, change) => {
    await admin.query('begin');
    try {
      await admin.query(
        `select set_config('tenantscope.actor', $1, true), set_config('tenantscope.session', $2, true)`,
        [`member:${members.olga.memberId}`, members.olga.sessionId],
      );
      const { rows: before } = await admin.query<{ events: string }>(`select ${countEvents} as events`);
      await admin.query(change());
      const { rows: after } = await admin.query<{ events: string }>(`select ${countEvents} as events`);
      expect(Number(after[0]?.events)).toBe(Number(before[0]?.events) + 1);
    } finally {
      await admin.query('rollback');
    }
  });

  test.each<[string, () => string, RegExp]>([
    [
      'a sign-in without a session is refused',
      () =>
        `select control.record_admin_action('${ours.organizationId}', 'signed in', 'member', '${members.ann.memberId}', null)`,
      /unknown action/,
    ],
    [
      'an ended session cannot be confirmed',
      () => `select control.confirm_session('${ids.ended}')`,
      /ended session cannot be confirmed/,
    ],
  ])('exist only together: %s', async (_, statement, error) => {
    await expect(attemptAs(admin, members.ann, statement())).rejects.toThrow(error);
  });
});
