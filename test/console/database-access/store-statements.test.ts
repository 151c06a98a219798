import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestConsole } from '../test-console.ts';
import { createAccessFixture } from './access-fixture.ts';
import { memberAccess, trigger } from './refusal-case.ts';

const { ours, theirs, superuser, members, ids } = await createAccessFixture();

describe('a statement of the store', () => {
  let deadLetterId = '';
  const checks = [
    memberAccess,
    trigger('console_session', 'authorize_session_change'),
    trigger('api_key', 'enforce_key_owner'),
  ];
  beforeAll(async () => {
    for (const { disable } of checks) await superuser.query(disable);
    const { rows } = await superuser.query<{ id: string }>(
      `with message as (
         insert into models.dead_letter_message (id, topic, partition, "offset", headers) values (gen_random_uuid(), 'x', 0, 0, '[]') returning id)
       insert into models.dead_letter (id, message_id, element, topic, tenant_id, reason, stage, detail, worker_version)
       select gen_random_uuid(), id, 0, 'x', $1, 'MALFORMED_JSON', 'decode', 'truncated', '1' from message returning id`,
      [theirs.tenantIds[0]],
    );
    deadLetterId = rows[0]?.id ?? '';
  });
  afterAll(async () => {
    for (const { enable } of checks) await superuser.query(enable);
  });
  const by = () => ({ actor: `member:${members.ann.memberId}`, sessionId: members.ann.sessionId, requestId: null });
  type Transaction = Parameters<Parameters<TestConsole['store']['transaction']>[1]>[0];
  const change = <Value>(work: (transaction: Transaction) => Promise<Value>) => ours.store.transaction(by(), work);
  const newKey = (more: object) => ({
    name: 'New',
    scopes: [],
    tenantId: ours.tenantIds[0] ?? '',
    organizationId: ours.organizationId,
    expiresAt: null,
    createdBy: by().actor,
    replaces: null,
    kind: 'api' as const,
    ...more,
  });
  const own = () => ({ organizationId: ours.organizationId });
  const scope = () => ({ tenantIds: ours.tenantIds, hasEveryTenant: true });

  test.each<[string, () => Promise<unknown>, unknown]>([
    ['revoking a key', () => change((t) => ours.store.keys.revoke(t, ours.organizationId, ids.foreign)), false],
    [
      'renaming a key',
      () => change((t) => ours.store.keys.update(t, ours.organizationId, ids.foreign, { name: 'x' })),
      false,
    ],
    [
      "changing a key's expiry",
      () => change((t) => ours.store.keys.limitExpiry(t, ours.organizationId, ids.foreign, new Date())),
      false,
    ],
    ['reading a key', () => ours.store.keys.read(ours.organizationId, ids.foreign), null],
    [
      'creating a key for a tenant',
      () => change((t) => ours.store.keys.create(t, newKey({ tenantId: theirs.tenantIds[0] }))),
      null,
    ],
    ['replacing a key', () => change((t) => ours.store.keys.create(t, newKey({ replaces: ids.foreign }))), null],
    [
      'changing a member',
      () => ours.store.members.update(by(), { ...own(), id: members.eve.memberId }, { role: 'viewer' }),
      null,
    ],
    [
      'ending a session',
      () => change((t) => ours.store.sessions.end(t, members.ann.memberId, members.eve.sessionId)),
      false,
    ],
    [
      'removing a credential',
      () => change((t) => ours.store.credentials.remove(t, members.ann.memberId, ids.proof)),
      'missing',
    ],
    [
      'listing dead letters',
      () => ours.store.deadLetters.filterVisible(scope(), [deadLetterId]),
      { ids: [], cells: [] },
    ],
    ['reading a dead letter', () => ours.store.deadLetters.readOriginal(scope(), deadLetterId), null],
    [
      'changing the expiry of an expired key',
      () =>
        change((t) =>
          ours.store.keys.update(t, ours.organizationId, ids.expired, { expiresAt: new Date(Date.now() + 60_000) }),
        ),
      false,
    ],
  ])('has no effect without the routes and the checks in the database: %s', async (_, work, nothing) => {
    await superuser.query('alter table control.api_key disable trigger enforce_key_expiry');
    try {
      expect(await work()).toEqual(nothing);
    } finally {
      await superuser.query('alter table control.api_key enable trigger enforce_key_expiry');
    }
  });
});
