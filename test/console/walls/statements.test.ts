import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestConsole } from '../visitor.ts';
import { reach, trigger } from './refused.ts';
import { wallsStage } from './stage.ts';

const { ours, theirs, superuser, people, things } = await wallsStage();

describe('the console’s statements by themselves, without its routes before and the database’s walls behind them', () => {
  let letter = '';
  const walls = [reach, trigger('console_session', 'guard_session'), trigger('api_key', 'guard_key_kin')];
  beforeAll(async () => {
    for (const { down } of walls) await superuser.query(down);
    const { rows } = await superuser.query<{ id: string }>(
      `with message as (
         insert into models.dead_letter_message (id, topic, partition, "offset", headers) values (gen_random_uuid(), 'x', 0, 0, '[]') returning id)
       insert into models.dead_letter (id, message_id, element, tenant_id, reason, stage, detail, worker_version)
       select gen_random_uuid(), id, 0, $1, 'MALFORMED_JSON', 'decode', 'torn', '1' from message returning id`,
      [theirs.tenantIds[0]],
    );
    letter = rows[0]?.id ?? '';
  });
  afterAll(async () => {
    for (const { up } of walls) await superuser.query(up);
  });
  const by = () => ({ actor: `person:${people.ann.personId}`, sessionId: people.ann.sessionId, requestId: null });
  type Transaction = Parameters<Parameters<TestConsole['store']['change']>[1]>[0];
  const change = <Value>(work: (transaction: Transaction) => Promise<Value>) => ours.store.change(by(), work);
  const wanted = (more: object) => ({
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
  const sight = () => ({ tenantIds: ours.tenantIds, hasEveryTenant: true });

  test.each<[string, () => Promise<unknown>, unknown]>([
    ['ending a key', () => change((t) => ours.store.keys.end(t, ours.organizationId, things.foreign)), false],
    [
      'naming a key',
      () => change((t) => ours.store.keys.change(t, ours.organizationId, things.foreign, { name: 'x' })),
      false,
    ],
    [
      'a key’s end',
      () => change((t) => ours.store.keys.endBy(t, ours.organizationId, things.foreign, new Date())),
      false,
    ],
    ['looking at a key', () => ours.store.keys.show(ours.organizationId, things.foreign), null],
    [
      'a key of a tenant',
      () => change((t) => ours.store.keys.make(t, wanted({ tenantId: theirs.tenantIds[0] }))),
      null,
    ],
    ['taking a key’s place', () => change((t) => ours.store.keys.make(t, wanted({ replaces: things.foreign }))), null],
    ['a person', () => ours.store.people.change(by(), { ...own(), id: people.eve.personId }, { role: 'viewer' }), null],
    ['a session', () => change((t) => ours.store.sessions.end(t, people.ann.personId, people.eve.sessionId)), false],
    ['a proof', () => change((t) => ours.store.credentials.remove(t, people.ann.personId, things.proof)), 'missing'],
    ['dead letters', () => ours.store.letters.seen(sight(), [letter]), []],
    ['a dead letter', () => ours.store.letters.open(sight(), letter), null],
    [
      'giving an ended key another end',
      () =>
        change((t) =>
          ours.store.keys.change(t, ours.organizationId, things.expired, { expiresAt: new Date(Date.now() + 60_000) }),
        ),
      false,
    ],
  ])('%s', async (_, work, nothing) => {
    await superuser.query('alter table control.api_key disable trigger guard_api_key');
    try {
      expect(await work()).toEqual(nothing);
    } finally {
      await superuser.query('alter table control.api_key enable trigger guard_api_key');
    }
  });
});
