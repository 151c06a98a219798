import { describe, expect, test } from 'vitest';
import { letterRequest, newKey } from './changes.ts';
import { attempt, type Name, wallsStage } from './stage.ts';

const { ours, admin, people, things } = await wallsStage();

describe('what people do every day is not in the way of any wall', () => {
  test.each<[string, Name, () => string]>([
    ['naming a key', 'nina', () => `update control.api_key set name = 'x' where id = '${things.key}'`],
    [
      'ending a key of the whole organization',
      'ann',
      () => `update control.api_key set revoked_at = clock_timestamp() where id = '${things.whole}'`,
    ],
    ['making a key', 'nina', () => newKey(ours, ours.tenantIds[0], { replaces: `'${things.second}'` })],
    ['a run of an officer', 'olga', () => newKey(ours, ours.tenantIds[1], { kind: `'playground'` })],
    ['asking for dead letters', 'nina', () => letterRequest(ours.organizationId, people.nina)],
    [
      'making somebody an administrator',
      'ann',
      () => `update control.person set role = 'admin' where id = '${people.victor.personId}'`,
    ],
    [
      'stepping back where there is another',
      'ann',
      () => `update control.person set role = 'viewer' where id = '${people.ann.personId}'`,
    ],
    ['removing an own proof', 'ann', () => `delete from control.person_credential where id = '${things.spent}'`],
    [
      'ending the session of a colleague',
      'ann',
      () => `update control.console_session set ended_at = clock_timestamp() where id = '${people.olga.sessionId}'`,
    ],
  ])('%s', async (_, who, sql) => {
    expect(await attempt(admin, people[who], sql())).toBe(1);
  });
});

test('what a person proves itself by stands in the audit of its organization, without its secret', async () => {
  await admin.query('begin');
  await admin.query(`select set_config('tenantscope.actor', $1, true), set_config('tenantscope.session', $2, true)`, [
    `person:${people.ann.personId}`,
    people.ann.sessionId,
  ]);
  await admin.query(
    `insert into control.person_credential (person_id, kind, name, secret) values ($1, 'passkey', 'A key', 'what nobody reads')`,
    [people.ann.personId],
  );
  await admin.query('commit');
  const { body } = await people.ann.ask('GET', '/console/api/audit?subjectType=person_credential');
  expect(body.events[0]).toMatchObject({ act: 'created', after: { kind: 'passkey', name: 'A key' } });
  expect(JSON.stringify(body)).not.toContain('what nobody reads');
});
