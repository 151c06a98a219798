import { expectStatus, memberAccess, noBody, type RefusalCase, trigger } from './refusal-case.ts';
import { insertKey, keyRequestBody } from './statements.ts';

/** Keys of another organization, and keys of tenants that the member has no access to. */
export const foreignKeyRefusals: Record<string, RefusalCase> = {
  'replacing a key of another organization': {
    error: /key of its own organization/,
    sql: ({ ours, ids }) => insertKey(ours, ours.tenantIds[0], { replaces: `'${ids.foreign}'` }),
    ...trigger('api_key', 'enforce_key_owner'),
    request: expectStatus(
      'ann',
      'POST',
      () => '/keys',
      ({ ours, ids }) => keyRequestBody(ours, { replaces: ids.foreign }),
      404,
    ),
  },
  'renaming a key of another organization': {
    error: /own organization/,
    sql: ({ ids }) => `update control.api_key set name = 'taken' where id = '${ids.foreign}'`,
    ...memberAccess,
    request: expectStatus(
      'ann',
      'PATCH',
      ({ ids }) => `/keys/${ids.foreign}`,
      () => ({ name: 'taken' }),
      404,
    ),
  },
  'revoking a key of another organization': {
    error: /own organization/,
    sql: ({ ids }) => `update control.api_key set revoked_at = clock_timestamp() where id = '${ids.foreign}'`,
    ...memberAccess,
    request: expectStatus('ann', 'POST', ({ ids }) => `/keys/${ids.foreign}/revoke`, noBody, 404),
  },
  'creating a key for a tenant of another organization': {
    error: /own organization/,
    sql: ({ ours, theirs }) => insertKey(ours, theirs.tenantIds[0]),
    ...memberAccess,
    request: expectStatus(
      'ann',
      'POST',
      () => '/keys',
      ({ ours, theirs }) => keyRequestBody(ours, { tenantId: theirs.tenantIds[0] }),
      400,
    ),
  },
  'creating a key for an inaccessible tenant': {
    actor: 'nina',
    error: /visible tenants/,
    sql: ({ ours }) => insertKey(ours, ours.tenantIds[1]),
    ...memberAccess,
    request: expectStatus(
      'nina',
      'POST',
      () => '/keys',
      ({ ours }) => keyRequestBody(ours, { tenantId: ours.tenantIds[1] }),
      400,
    ),
  },
  'creating an organization-wide key with access to some tenants': {
    actor: 'nina',
    error: /visible tenants/,
    sql: ({ ours }) => insertKey(ours, null),
    ...memberAccess,
    request: expectStatus(
      'nina',
      'POST',
      () => '/keys',
      ({ ours }) => keyRequestBody(ours, { tenantId: null }),
      400,
    ),
  },
  'revoking a key of an inaccessible tenant': {
    actor: 'nina',
    error: /visible tenants/,
    sql: ({ ids }) => `update control.api_key set revoked_at = clock_timestamp() where id = '${ids.second}'`,
    ...memberAccess,
    request: expectStatus('nina', 'POST', ({ ids }) => `/keys/${ids.second}/revoke`, noBody, 404),
  },
  'renaming an organization-wide key with access to some tenants': {
    actor: 'nina',
    error: /visible tenants/,
    sql: ({ ids }) => `update control.api_key set name = 'x' where id = '${ids.whole}'`,
    ...memberAccess,
    request: expectStatus(
      'nina',
      'PATCH',
      ({ ids }) => `/keys/${ids.whole}`,
      () => ({ name: 'x' }),
      404,
    ),
  },
  'running an operation against an inaccessible tenant': {
    actor: 'nina',
    error: /visible tenants/,
    sql: ({ ours }) =>
      `select control.record_admin_action('${ours.organizationId}', 'ran', 'operation', 'ping', '{"tenantId":"${ours.tenantIds[1]}"}')`,
    ...memberAccess,
    request: expectStatus(
      'nina',
      'POST',
      () => '/playground/run',
      ({ ours }) => ({ operation: 'ping', tenantId: ours.tenantIds[1], mode: 'rest', parameters: {}, scopesOf: 'me' }),
      400,
    ),
  },
};
