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

/** Identity and role of members. */
export const memberRefusals: Record<string, RefusalCase> = {
  ...immutableColumns('member', ['id', 'organization_id', 'source', 'subject', 'created_at']),
  'deleting a member': {
    error: denied,
    sql: ({ members }) => `delete from control.member where id = '${members.nina.memberId}'`,
    ...grant('delete', 'control.member'),
    request: expectStatus('ann', 'DELETE', ({ members }) => `/members/${members.nina.memberId}`, noBody, 404),
  },
  'demoting the last administrator': {
    actor: 'eve',
    error: /last administrator/,
    sql: ({ members }) => `update control.member set role = 'viewer' where id = '${members.eve.memberId}'`,
    ...trigger('member', 'require_remaining_admin'),
    request: expectStatus(
      'eve',
      'POST',
      ({ members }) => `/members/${members.eve.memberId}`,
      () => ({ role: 'officer' }),
      409,
    ),
  },
  'disabling the last administrator': {
    actor: 'eve',
    error: /last administrator/,
    sql: ({ members }) =>
      `update control.member set disabled_at = clock_timestamp() where id = '${members.eve.memberId}'`,
    ...trigger('member', 'require_remaining_admin'),
    request: expectStatus(
      'eve',
      'POST',
      ({ members }) => `/members/${members.eve.memberId}`,
      () => ({ disabled: true }),
      409,
    ),
  },
  'limiting the last administrator of all tenants': {
    actor: 'eve',
    error: /last administrator/,
    sql: ({ members }) => `update control.member set tenant_ids = '{}' where id = '${members.eve.memberId}'`,
    ...trigger('member', 'require_remaining_admin'),
    request: expectStatus(
      'eve',
      'POST',
      ({ members }) => `/members/${members.eve.memberId}`,
      ({ theirs }) => ({ tenantIds: [theirs.tenantIds[0]] }),
      409,
    ),
  },
  'changing a member of another organization': {
    error: /own organization/,
    sql: ({ members }) => `update control.member set name = 'x' where id = '${members.eve.memberId}'`,
    ...memberAccess,
    request: expectStatus(
      'ann',
      'POST',
      ({ members }) => `/members/${members.eve.memberId}`,
      ({ ours }) => ({ tenantIds: [ours.tenantIds[0]] }),
      404,
    ),
  },
  'creating a member of another organization': {
    error: /own organization/,
    sql: ({ theirs }) =>
      `insert into control.member (organization_id, name, source, subject, role) values ('${theirs.organizationId}', 'x', 'local', 'x', 'admin')`,
    ...memberAccess,
  },
  "extending one's own access to the whole organization": {
    actor: 'nina',
    error: /whole organization/,
    sql: ({ members }) => `update control.member set tenant_ids = null where id = '${members.nina.memberId}'`,
    ...memberAccess,
    request: expectStatus(
      'nina',
      'POST',
      ({ members }) => `/members/${members.nina.memberId}`,
      () => ({ tenantIds: null }),
      403,
    ),
  },
  'a viewer promoting itself to administrator': {
    actor: 'victor',
    error: /not permitted for the role viewer/,
    sql: ({ members }) => `update control.member set role = 'admin' where id = '${members.victor.memberId}'`,
    ...memberAccess,
    request: expectStatus(
      'victor',
      'POST',
      ({ members }) => `/members/${members.victor.memberId}`,
      () => ({ role: 'admin' }),
      403,
    ),
  },
};
