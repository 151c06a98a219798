import { expectStatus, immutableColumns, memberAccess, noBody, type RefusalCase, trigger } from './refusal-case.ts';
import { digest, insertSession } from './statements.ts';

/** Sessions, credentials and set-up tokens. */
export const signInRefusals: Record<string, RefusalCase> = {
  ...immutableColumns('member_credential', ['id', 'member_id', 'kind', 'secret', 'created_at']),
  ...immutableColumns(
    'console_session',
    ['id', 'id_sha256', 'member_id', 'created_at', 'ends_at', 'address'],
    ({ members }) => `where id = '${members.ann.sessionId}'`,
  ),
  ...immutableColumns('set_up_token', ['sha256', 'organization_id', 'expires_at']),
  'using the session of another member': {
    sessionOf: ({ members }) => members.nina.sessionId,
    error: /session of its own/,
    sql: ({ ids }) => `update control.api_key set name = 'x' where id = '${ids.key}'`,
    ...memberAccess,
  },
  'a change without a session': {
    sessionOf: () => '',
    error: /session of its own/,
    sql: ({ ids }) => `update control.api_key set name = 'x' where id = '${ids.key}'`,
    ...memberAccess,
  },
  'reopening an ended session': {
    error: /cannot be cleared/,
    sql: ({ ids }) => `update control.console_session set ended_at = null where id = '${ids.ended}'`,
    ...trigger('console_session', 'prevent_reopening'),
  },
  'starting a session of more than 12 hours': {
    error: /12 hours/,
    sql: ({ members }) => insertSession(members.ann, '13 hours'),
    ...trigger('console_session', 'authorize_session_change'),
  },
  'starting a session for another member': {
    error: /a session can be started by its member only/,
    sql: ({ members }) => insertSession(members.nina, '1 hour'),
    ...trigger('console_session', 'authorize_session_change'),
  },
  'ending a session of another organization': {
    error: /ended by its member or an administrator/,
    sql: ({ members }) =>
      `update control.console_session set ended_at = clock_timestamp() where id = '${members.eve.sessionId}'`,
    ...trigger('console_session', 'authorize_session_change'),
    request: expectStatus('ann', 'POST', ({ members }) => `/sessions/${members.eve.sessionId}/end`, noBody, 404),
  },
  'making a used recovery code valid again': {
    error: /cannot be cleared/,
    sql: ({ ids }) => `update control.member_credential set consumed_at = null where id = '${ids.spent}'`,
    ...trigger('member_credential', 'prevent_reopening'),
  },
  'removing a credential of a member of another organization': {
    error: /own organization/,
    sql: ({ ids }) => `delete from control.member_credential where id = '${ids.proof}'`,
    ...memberAccess,
    request: expectStatus('ann', 'POST', ({ ids }) => `/credentials/${ids.proof}/remove`, noBody, 404),
  },
  'adding a credential for another member': {
    error: /by its owner only/,
    sql: ({ members }) =>
      `insert into control.member_credential (member_id, kind, secret) values ('${members.nina.memberId}', 'password', 'x')`,
    ...memberAccess,
  },
  'creating a set-up token without an actor': {
    actor: null,
    error: /requires an actor/,
    sql: ({ ours }) =>
      `insert into control.set_up_token (sha256, organization_id, expires_at) values (${digest()}, '${ours.organizationId}', clock_timestamp())`,
    ...trigger('set_up_token', 'audit_request'),
  },
  'making a used set-up token valid again': {
    error: /cannot be cleared/,
    sql: ({ ids }) => `update control.set_up_token set used_at = null where sha256 = decode('${ids.token}', 'hex')`,
    ...trigger('set_up_token', 'prevent_reopening'),
  },
  'creating a set-up token for more than an hour': {
    error: /an hour at most/,
    sql: ({ ours }) =>
      `insert into control.set_up_token (sha256, organization_id, expires_at) values (${digest()}, '${ours.organizationId}', clock_timestamp() + interval '2 hours')`,
    ...trigger('set_up_token', 'audit_request'),
  },
  'creating a set-up token for another organization': {
    error: /own organization/,
    sql: ({ theirs }) =>
      `insert into control.set_up_token (sha256, organization_id, expires_at) values (${digest()}, '${theirs.organizationId}', clock_timestamp())`,
    ...memberAccess,
  },
};
