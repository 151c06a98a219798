import { expect } from 'vitest';
import { denied, expectStatus, grant, memberAccess, noBody, type RefusalCase, trigger } from './refusal-case.ts';
import { inADay, insertKey, keyRequestBody } from './statements.ts';

const keyColumns = [
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

/** Properties of a key, its lifetime, and who may create one. */
export const keyRefusals: Record<string, RefusalCase> = {
  'reading the digests of secrets': {
    error: denied,
    sql: () => 'select secret_sha256 from control.api_key',
    ...grant('select (secret_sha256)', 'control.api_key'),
    request: async ({ members, superuser, ids }) => {
      const { rows } = await superuser.query<{ secret_sha256: Buffer }>('select secret_sha256 from control.api_key');
      for (const path of [
        '/keys',
        `/keys/${ids.key}`,
        '/keys?view=playground',
        '/audit',
        '/audit/export',
        '/members',
        '/me',
      ]) {
        const { text } = await members.ann.request('GET', `/console/api${path}`);
        expect(text).not.toContain('secret_sha256');
        for (const { secret_sha256: hash } of rows)
          for (const encoding of ['hex', 'base64', 'base64url'] as const)
            expect(text, path).not.toContain(hash.toString(encoding));
      }
    },
  },
  ...Object.fromEntries(
    keyColumns.map((column): [string, RefusalCase] => [
      `changing ${column} of a key`,
      {
        error: denied,
        sql: ({ ids }) => `update control.api_key set ${column} = ${column} where id = '${ids.key}'`,
        disable: `grant select (${column}), update (${column}) on control.api_key to tenantscope_console`,
        enable: `revoke update (${column}) on control.api_key from tenantscope_console; ${column === 'secret_sha256' ? 'revoke select (secret_sha256) on control.api_key from tenantscope_console' : ''}`,
        request: expectStatus(
          'ann',
          'PATCH',
          ({ ids }) => `/keys/${ids.key}`,
          () => ({
            [column.replace(/_(.)/g, (_, initial) => initial.toUpperCase())]: ['users:read'],
            [column]: ['users:read'],
          }),
          400,
        ),
      },
    ]),
  ),
  'deleting a key': {
    error: denied,
    sql: ({ ids }) => `delete from control.api_key where id = '${ids.key}'`,
    ...grant('delete', 'control.api_key'),
    request: expectStatus('ann', 'DELETE', ({ ids }) => `/keys/${ids.key}`, noBody, 404),
  },
  'reactivating a revoked key': {
    error: /stays revoked/,
    sql: ({ ids }) => `update control.api_key set revoked_at = null where id = '${ids.revoked}'`,
    ...trigger('api_key', 'enforce_key_expiry'),
    request: expectStatus(
      'ann',
      'PATCH',
      ({ ids }) => `/keys/${ids.revoked}`,
      () => ({ revokedAt: null }),
      400,
    ),
  },
  'changing the expiry of a revoked key': {
    error: /cannot be reactivated/,
    sql: ({ ids }) => `update control.api_key set expires_at = null where id = '${ids.revoked}'`,
    ...trigger('api_key', 'enforce_key_expiry'),
    request: expectStatus(
      'ann',
      'PATCH',
      ({ ids }) => `/keys/${ids.revoked}`,
      () => ({ expiresAt: inADay() }),
      409,
    ),
  },
  'changing the expiry of an expired key': {
    error: /cannot be reactivated/,
    sql: ({ ids }) => `update control.api_key set expires_at = null where id = '${ids.expired}'`,
    ...trigger('api_key', 'enforce_key_expiry'),
    request: expectStatus(
      'ann',
      'PATCH',
      ({ ids }) => `/keys/${ids.expired}`,
      () => ({ expiresAt: null }),
      409,
    ),
  },
  'creating a key with a longer lifetime than the organization allows': {
    error: /to 2 days/,
    sql: ({ ours }) => insertKey(ours, ours.tenantIds[0], { expires_at: `clock_timestamp() + interval '3 days'` }),
    ...trigger('api_key', 'enforce_key_expiry'),
    request: ({ withLifetime }) =>
      withLifetime(
        2,
        expectStatus(
          'ann',
          'POST',
          () => '/keys',
          ({ ours }) => keyRequestBody(ours, { expiresAt: new Date(Date.now() + 3 * 86_400_000) }),
          409,
        ),
      ),
  },
  'creating a key without expiry where the organization allows a limited lifetime only': {
    error: /to 2 days/,
    sql: ({ ours }) => insertKey(ours, null, { expires_at: 'null' }),
    ...trigger('api_key', 'enforce_key_expiry'),
    request: ({ withLifetime }) =>
      withLifetime(
        2,
        expectStatus(
          'ann',
          'POST',
          () => '/keys',
          ({ ours }) => keyRequestBody(ours, { expiresAt: null }),
          409,
        ),
      ),
  },
  'extending a key beyond what the organization allows': {
    error: /to 2 days/,
    sql: ({ ids }) =>
      `update control.api_key set expires_at = clock_timestamp() + interval '3 days' where id = '${ids.key}'`,
    ...trigger('api_key', 'enforce_key_expiry'),
    request: ({ withLifetime }) =>
      withLifetime(
        2,
        expectStatus(
          'ann',
          'PATCH',
          ({ ids }) => `/keys/${ids.key}`,
          () => ({ expiresAt: null }),
          409,
        ),
      ),
  },
  'creating a playground key for more than an hour': {
    error: /within an hour/,
    sql: ({ ours }) =>
      insertKey(ours, ours.tenantIds[0], { kind: `'playground'`, expires_at: `clock_timestamp() + interval '1 day'` }),
    ...trigger('api_key', 'enforce_key_owner'),
    request: expectStatus(
      'ann',
      'POST',
      () => '/keys',
      ({ ours }) => keyRequestBody(ours, { kind: 'playground' }),
      400,
    ),
  },
  'creating a playground key for the whole organization': {
    error: /reads one tenant/,
    sql: ({ ours }) => insertKey(ours, null, { kind: `'playground'` }),
    ...trigger('api_key', 'enforce_key_owner'),
    request: expectStatus(
      'ann',
      'POST',
      () => '/keys',
      ({ ours }) => keyRequestBody(ours, { kind: 'playground', tenantId: null }),
      400,
    ),
  },
  'extending a playground key': {
    error: /within an hour/,
    sql: ({ ids }) =>
      `update control.api_key set expires_at = clock_timestamp() + interval '1 day' where id = '${ids.play}'`,
    ...trigger('api_key', 'enforce_key_owner'),
    request: expectStatus(
      'ann',
      'PATCH',
      ({ ids }) => `/keys/${ids.play}`,
      () => ({ expiresAt: inADay() }),
      409,
    ),
  },
  'creating a key as an officer': {
    actor: 'olga',
    error: /not permitted for the role officer/,
    sql: ({ ours }) => insertKey(ours, ours.tenantIds[0]),
    ...memberAccess,
    request: expectStatus(
      'olga',
      'POST',
      () => '/keys',
      ({ ours }) => keyRequestBody(ours),
      403,
    ),
  },
  'running the playground as a viewer': {
    actor: 'victor',
    error: /not permitted for the role viewer/,
    sql: ({ ours }) => insertKey(ours, ours.tenantIds[0], { kind: `'playground'` }),
    ...memberAccess,
    request: expectStatus('victor', 'POST', () => '/playground/run', noBody, 403),
  },
};
