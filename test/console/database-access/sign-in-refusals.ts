import {
  denied,
  expectStatus,
  grant,
  immutableColumns,
  memberAccess,
  noBody,
  type RefusalCase,
  trigger,
} from './refusal-case.ts';
import { beginSession, digest, insertSetUpToken } from './statements.ts';

/** Sessions, credentials and set-up tokens. */
export const signInRefusals: Record<string, RefusalCase> = {
  ...immutableColumns('member_credential', ['id', 'member_id', 'kind', 'secret', 'created_at']),
  ...immutableColumns(
    'console_session',
    ['id', 'id_sha256', 'member_id', 'created_at', 'authenticated_at', 'ends_at', 'address'],
    ({ members }) => `where id = '${members.ann.sessionId}'`,
  ),
  ...immutableColumns('set_up_token', [
    'sha256',
    'organization_id',
    'role',
    'tenant_ids',
    'created_by',
    'expires_at',
    'used_at',
  ]),
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
  'a session without its event in the audit log': {
    error: denied,
    sql: ({ members }) =>
      `insert into control.console_session (id_sha256, member_id, ends_at) values (${digest()}, '${members.ann.memberId}', clock_timestamp() + interval '1 hour')`,
    ...grant('insert', 'control.console_session'),
  },
  'reopening an ended session': {
    error: /cannot be cleared/,
    sql: ({ ids }) => `update control.console_session set ended_at = null where id = '${ids.ended}'`,
    ...trigger('console_session', 'prevent_reopening'),
  },
  'starting a session of more than 12 hours': {
    error: /12 hours/,
    sql: ({ members }) => beginSession(members.ann, '13 hours'),
    ...trigger('console_session', 'authorize_session_change'),
  },
  'starting a session for another member': {
    error: /a session can be started by its member only/,
    sql: ({ members }) => beginSession(members.nina, '1 hour'),
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
    sql: ({ ours }) => insertSetUpToken(ours.organizationId),
    disable: 'alter table control.set_up_token disable trigger user',
    enable: 'alter table control.set_up_token enable trigger user',
  },
  'making a revoked set-up token valid again': {
    error: /cannot be cleared/,
    sql: ({ ids }) => `update control.set_up_token set revoked_at = null where sha256 = decode('${ids.token}', 'hex')`,
    ...trigger('set_up_token', 'prevent_unrevoking'),
  },
  'an invitation for more than three days': {
    error: /72 hours/,
    sql: ({ ours }) => insertSetUpToken(ours.organizationId, { expires_at: `clock_timestamp() + interval '73 hours'` }),
    ...trigger('set_up_token', 'check_set_up_token'),
  },
  'an invitation to a tenant of another organization': {
    error: /tenants of its own organization/,
    sql: ({ ours, theirs }) =>
      insertSetUpToken(ours.organizationId, { tenant_ids: `array['${theirs.tenantIds[0]}']::uuid[]` }),
    ...trigger('set_up_token', 'check_set_up_token'),
    request: expectStatus(
      'ann',
      'POST',
      () => '/invitations',
      ({ theirs }) => ({ name: 'x', role: 'viewer', tenantIds: theirs.tenantIds }),
      400,
    ),
  },
  'an invitation to another organization': {
    error: /own organization/,
    sql: ({ theirs }) => insertSetUpToken(theirs.organizationId),
    ...memberAccess,
  },
  'an invitation by an administrator of some tenants': {
    actor: 'nina',
    error: /whole organization/,
    sql: ({ ours }) => insertSetUpToken(ours.organizationId),
    ...memberAccess,
    request: expectStatus(
      'nina',
      'POST',
      () => '/invitations',
      ({ ours }) => ({ name: 'x', role: 'viewer', tenantIds: [ours.tenantIds[0]] }),
      403,
    ),
  },
  'an invitation by an officer': {
    actor: 'olga',
    error: /not permitted for the role officer/,
    sql: ({ ours }) => insertSetUpToken(ours.organizationId),
    ...memberAccess,
    request: expectStatus(
      'olga',
      'POST',
      () => '/invitations',
      () => ({ name: 'x', role: 'viewer', tenantIds: null }),
      403,
    ),
  },
  'revoking an invitation of another organization': {
    actor: 'eve',
    error: /own organization/,
    sql: ({ ids }) =>
      `update control.set_up_token set revoked_at = revoked_at + interval '1 second' where sha256 = decode('${ids.token}', 'hex')`,
    ...memberAccess,
    request: expectStatus('eve', 'POST', ({ ids }) => `/invitations/${ids.tokenId}/revoke`, noBody, 404),
  },
};
