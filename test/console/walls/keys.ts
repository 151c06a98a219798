import { expect } from 'vitest';
import { creation, inADay, newKey } from './changes.ts';
import { denied, grant, nothing, type Refused, reach, refuses, trigger } from './refused.ts';

const columnsOfKey = [
  'id',
  'secret_sha256',
  'display',
  'scopes',
  'tenant_id',
  'organization_id',
  'created_at',
  'kind',
  'created_by',
  'replaces',
];

/** What a key is, how long it lives and who makes one. */
export const refusedOfKeys: Record<string, Refused> = {
  'reading the digests of secrets': {
    says: denied,
    sql: () => 'select secret_sha256 from control.api_key',
    ...grant('select (secret_sha256)', 'control.api_key'),
    asked: async ({ people, superuser, things }) => {
      const { rows } = await superuser.query<{ secret_sha256: Buffer }>('select secret_sha256 from control.api_key');
      for (const path of [
        '/keys',
        `/keys/${things.key}`,
        '/keys?view=playground',
        '/audit',
        '/audit/export',
        '/people',
        '/me',
      ]) {
        const { text } = await people.ann.ask('GET', `/console/api${path}`);
        expect(text).not.toContain('secret_sha256');
        for (const { secret_sha256: hash } of rows)
          for (const encoding of ['hex', 'base64', 'base64url'] as const)
            expect(text, path).not.toContain(hash.toString(encoding));
      }
    },
  },
  ...Object.fromEntries(
    columnsOfKey.map((column): [string, Refused] => [
      `changing ${column} of a key`,
      {
        says: denied,
        sql: ({ things }) => `update control.api_key set ${column} = ${column} where id = '${things.key}'`,
        down: `grant select (${column}), update (${column}) on control.api_key to tenantscope_admin`,
        up: `revoke update (${column}) on control.api_key from tenantscope_admin; ${column === 'secret_sha256' ? 'revoke select (secret_sha256) on control.api_key from tenantscope_admin' : ''}`,
        asked: refuses(
          'ann',
          'PATCH',
          ({ things }) => `/keys/${things.key}`,
          () => ({
            [column.replace(/_(.)/g, (_, letter) => letter.toUpperCase())]: ['users:read'],
            [column]: ['users:read'],
          }),
          400,
        ),
      },
    ]),
  ),
  'deleting a key': {
    says: denied,
    sql: ({ things }) => `delete from control.api_key where id = '${things.key}'`,
    ...grant('delete', 'control.api_key'),
    asked: refuses('ann', 'DELETE', ({ things }) => `/keys/${things.key}`, nothing, 404),
  },
  'bringing a revoked key back': {
    says: /stays revoked/,
    sql: ({ things }) => `update control.api_key set revoked_at = null where id = '${things.revoked}'`,
    ...trigger('api_key', 'guard_api_key'),
    asked: refuses(
      'ann',
      'PATCH',
      ({ things }) => `/keys/${things.revoked}`,
      () => ({ revokedAt: null }),
      400,
    ),
  },
  'giving a revoked key another end': {
    says: /does not come back/,
    sql: ({ things }) => `update control.api_key set expires_at = null where id = '${things.revoked}'`,
    ...trigger('api_key', 'guard_api_key'),
    asked: refuses(
      'ann',
      'PATCH',
      ({ things }) => `/keys/${things.revoked}`,
      () => ({ expiresAt: inADay() }),
      409,
    ),
  },
  'giving an expired key another end': {
    says: /does not come back/,
    sql: ({ things }) => `update control.api_key set expires_at = null where id = '${things.expired}'`,
    ...trigger('api_key', 'guard_api_key'),
    asked: refuses(
      'ann',
      'PATCH',
      ({ things }) => `/keys/${things.expired}`,
      () => ({ expiresAt: null }),
      409,
    ),
  },
  'a key that lives longer than the organization allows': {
    says: /at most 2 days/,
    sql: ({ ours }) => newKey(ours, ours.tenantIds[0], { expires_at: `clock_timestamp() + interval '3 days'` }),
    ...trigger('api_key', 'guard_api_key'),
    asked: ({ withLifetime }) =>
      withLifetime(
        2,
        refuses(
          'ann',
          'POST',
          () => '/keys',
          ({ ours }) => creation(ours, { expiresAt: new Date(Date.now() + 3 * 86_400_000) }),
          409,
        ),
      ),
  },
  'a key without end where the organization allows none': {
    says: /at most 2 days/,
    sql: ({ ours }) => newKey(ours, null, { expires_at: 'null' }),
    ...trigger('api_key', 'guard_api_key'),
    asked: ({ withLifetime }) =>
      withLifetime(
        2,
        refuses(
          'ann',
          'POST',
          () => '/keys',
          ({ ours }) => creation(ours, { expiresAt: null }),
          409,
        ),
      ),
  },
  'prolonging a key beyond what the organization allows': {
    says: /at most 2 days/,
    sql: ({ things }) =>
      `update control.api_key set expires_at = clock_timestamp() + interval '3 days' where id = '${things.key}'`,
    ...trigger('api_key', 'guard_api_key'),
    asked: ({ withLifetime }) =>
      withLifetime(
        2,
        refuses(
          'ann',
          'PATCH',
          ({ things }) => `/keys/${things.key}`,
          () => ({ expiresAt: null }),
          409,
        ),
      ),
  },
  'a key of the playground that stays': {
    says: /no longer than an hour/,
    sql: ({ ours }) =>
      newKey(ours, ours.tenantIds[0], { kind: `'playground'`, expires_at: `clock_timestamp() + interval '1 day'` }),
    ...trigger('api_key', 'guard_key_kin'),
    asked: refuses(
      'ann',
      'POST',
      () => '/keys',
      ({ ours }) => creation(ours, { kind: 'playground' }),
      400,
    ),
  },
  'a key of the playground for the whole organization': {
    says: /reads one tenant/,
    sql: ({ ours }) => newKey(ours, null, { kind: `'playground'` }),
    ...trigger('api_key', 'guard_key_kin'),
    asked: refuses(
      'ann',
      'POST',
      () => '/keys',
      ({ ours }) => creation(ours, { kind: 'playground', tenantId: null }),
      400,
    ),
  },
  'prolonging a key of the playground': {
    says: /no longer than an hour/,
    sql: ({ things }) =>
      `update control.api_key set expires_at = clock_timestamp() + interval '1 day' where id = '${things.play}'`,
    ...trigger('api_key', 'guard_key_kin'),
    asked: refuses(
      'ann',
      'PATCH',
      ({ things }) => `/keys/${things.play}`,
      () => ({ expiresAt: inADay() }),
      409,
    ),
  },
  'an officer making a key': {
    by: 'olga',
    says: /not for the role officer/,
    sql: ({ ours }) => newKey(ours, ours.tenantIds[0]),
    ...reach,
    asked: refuses(
      'olga',
      'POST',
      () => '/keys',
      ({ ours }) => creation(ours),
      403,
    ),
  },
  'a viewer in the playground': {
    by: 'victor',
    says: /not for the role viewer/,
    sql: ({ ours }) => newKey(ours, ours.tenantIds[0], { kind: `'playground'` }),
    ...reach,
    asked: refuses('victor', 'POST', () => '/playground/run', nothing, 403),
  },
};
