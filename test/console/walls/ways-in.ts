import { digest, session } from './changes.ts';
import { nothing, type Refused, reach, refuses, trigger, unmoved } from './refused.ts';

/** Sessions, what a person proves itself by, and tokens to set one up. */
export const refusedOfWaysIn: Record<string, Refused> = {
  ...unmoved('person_credential', ['id', 'person_id', 'kind', 'secret', 'created_at']),
  ...unmoved(
    'console_session',
    ['id', 'id_sha256', 'person_id', 'created_at', 'ends_at', 'address'],
    ({ people }) => `where id = '${people.ann.sessionId}'`,
  ),
  ...unmoved('set_up_token', ['sha256', 'organization_id', 'expires_at']),
  'the session of another in the name of somebody': {
    in: ({ people }) => people.nina.sessionId,
    says: /session of its own/,
    sql: ({ things }) => `update control.api_key set name = 'x' where id = '${things.key}'`,
    ...reach,
  },
  'acting in no session': {
    in: () => '',
    says: /session of its own/,
    sql: ({ things }) => `update control.api_key set name = 'x' where id = '${things.key}'`,
    ...reach,
  },
  'bringing a session back': {
    says: /stays so/,
    sql: ({ things }) => `update control.console_session set ended_at = null where id = '${things.ended}'`,
    ...trigger('console_session', 'stay_ended'),
  },
  'a session that lasts longer': {
    says: /12 hours/,
    sql: ({ people }) => session(people.ann, '13 hours'),
    ...trigger('console_session', 'guard_session'),
  },
  'a session in the name of another': {
    says: /begun by whose it is/,
    sql: ({ people }) => session(people.nina, '1 hour'),
    ...trigger('console_session', 'guard_session'),
  },
  'ending the session of another organization': {
    says: /administrator of its organization/,
    sql: ({ people }) =>
      `update control.console_session set ended_at = clock_timestamp() where id = '${people.eve.sessionId}'`,
    ...trigger('console_session', 'guard_session'),
    asked: refuses('ann', 'POST', ({ people }) => `/sessions/${people.eve.sessionId}/end`, nothing, 404),
  },
  'a recovery code used up, good again': {
    says: /stays so/,
    sql: ({ things }) => `update control.person_credential set spent_at = null where id = '${things.spent}'`,
    ...trigger('person_credential', 'stay_ended'),
  },
  'a proof of a person of another organization': {
    says: /own organization/,
    sql: ({ things }) => `delete from control.person_credential where id = '${things.proof}'`,
    ...reach,
    asked: refuses('ann', 'POST', ({ things }) => `/credentials/${things.proof}/remove`, nothing, 404),
  },
  'a proof in the name of another': {
    says: /by whose it is/,
    sql: ({ people }) =>
      `insert into control.person_credential (person_id, kind, secret) values ('${people.nina.personId}', 'password', 'x')`,
    ...reach,
  },
  'a set-up token that nobody makes': {
    by: null,
    says: /names who makes it/,
    sql: ({ ours }) =>
      `insert into control.set_up_token (sha256, organization_id, expires_at) values (${digest()}, '${ours.organizationId}', clock_timestamp())`,
    ...trigger('set_up_token', 'record_request'),
  },
  'a set-up token used up, good again': {
    says: /stays so/,
    sql: ({ things }) =>
      `update control.set_up_token set used_at = null where sha256 = decode('${things.token}', 'hex')`,
    ...trigger('set_up_token', 'stay_ended'),
  },
  'a set-up token that is good for long': {
    says: /an hour at most/,
    sql: ({ ours }) =>
      `insert into control.set_up_token (sha256, organization_id, expires_at) values (${digest()}, '${ours.organizationId}', clock_timestamp() + interval '2 hours')`,
    ...trigger('set_up_token', 'record_request'),
  },
  'a set-up token of another organization': {
    says: /own organization/,
    sql: ({ theirs }) =>
      `insert into control.set_up_token (sha256, organization_id, expires_at) values (${digest()}, '${theirs.organizationId}', clock_timestamp())`,
    ...reach,
  },
};
