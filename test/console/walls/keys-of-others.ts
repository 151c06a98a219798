import { creation, newKey } from './changes.ts';
import { nothing, type Refused, reach, refuses, trigger } from './refused.ts';

/** Keys of another organization, and those of a tenant that one does not look at. */
export const refusedOfOthersKeys: Record<string, Refused> = {
  'taking the place of a key of another organization': {
    says: /one of its own organization/,
    sql: ({ ours, things }) => newKey(ours, ours.tenantIds[0], { replaces: `'${things.foreign}'` }),
    ...trigger('api_key', 'guard_key_kin'),
    asked: refuses(
      'ann',
      'POST',
      () => '/keys',
      ({ ours, things }) => creation(ours, { replaces: things.foreign }),
      404,
    ),
  },
  'naming a key of another organization': {
    says: /own organization/,
    sql: ({ things }) => `update control.api_key set name = 'taken' where id = '${things.foreign}'`,
    ...reach,
    asked: refuses(
      'ann',
      'PATCH',
      ({ things }) => `/keys/${things.foreign}`,
      () => ({ name: 'taken' }),
      404,
    ),
  },
  'ending a key of another organization': {
    says: /own organization/,
    sql: ({ things }) => `update control.api_key set revoked_at = clock_timestamp() where id = '${things.foreign}'`,
    ...reach,
    asked: refuses('ann', 'POST', ({ things }) => `/keys/${things.foreign}/revoke`, nothing, 404),
  },
  'a key of a tenant of another organization': {
    says: /own organization/,
    sql: ({ ours, theirs }) => newKey(ours, theirs.tenantIds[0]),
    ...reach,
    asked: refuses(
      'ann',
      'POST',
      () => '/keys',
      ({ ours, theirs }) => creation(ours, { tenantId: theirs.tenantIds[0] }),
      400,
    ),
  },
  'a key of a tenant that one does not look at': {
    by: 'nina',
    says: /may look at/,
    sql: ({ ours }) => newKey(ours, ours.tenantIds[1]),
    ...reach,
    asked: refuses(
      'nina',
      'POST',
      () => '/keys',
      ({ ours }) => creation(ours, { tenantId: ours.tenantIds[1] }),
      400,
    ),
  },
  'a key of the whole organization by somebody of some tenants': {
    by: 'nina',
    says: /may look at/,
    sql: ({ ours }) => newKey(ours, null),
    ...reach,
    asked: refuses(
      'nina',
      'POST',
      () => '/keys',
      ({ ours }) => creation(ours, { tenantId: null }),
      400,
    ),
  },
  'ending a key of a tenant that one does not look at': {
    by: 'nina',
    says: /may look at/,
    sql: ({ things }) => `update control.api_key set revoked_at = clock_timestamp() where id = '${things.second}'`,
    ...reach,
    asked: refuses('nina', 'POST', ({ things }) => `/keys/${things.second}/revoke`, nothing, 404),
  },
  'naming a key of the whole organization by somebody of some tenants': {
    by: 'nina',
    says: /may look at/,
    sql: ({ things }) => `update control.api_key set name = 'x' where id = '${things.whole}'`,
    ...reach,
    asked: refuses(
      'nina',
      'PATCH',
      ({ things }) => `/keys/${things.whole}`,
      () => ({ name: 'x' }),
      404,
    ),
  },
  'a run against a tenant that one does not look at': {
    by: 'nina',
    says: /may look at/,
    sql: ({ ours }) =>
      `select control.note_admin_event('${ours.organizationId}', 'ran', 'operation', 'ping', '{"tenantId":"${ours.tenantIds[1]}"}')`,
    ...reach,
    asked: refuses(
      'nina',
      'POST',
      () => '/playground/run',
      ({ ours }) => ({ operation: 'ping', tenantId: ours.tenantIds[1], mode: 'rest', parameters: {}, scopesOf: 'me' }),
      400,
    ),
  },
};
