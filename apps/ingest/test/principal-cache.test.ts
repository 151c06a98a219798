import type { TenantPrincipal } from '@tenantscope/store/ingest';
import { expect, test } from 'vitest';
import { createPrincipalCache } from '../src/activity/principal-cache.ts';

const tenantId = '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80';

const principal = (id: string, aliases: string[], more: Partial<TenantPrincipal> = {}): TenantPrincipal => ({
  tenantId,
  kind: 'user',
  id,
  isDeleted: false,
  aliases,
  ...more,
});

function createLoaded(...principals: TenantPrincipal[]) {
  const cache = createPrincipalCache();
  cache.apply({ kind: 'load', tenantId, principals, isLast: true });
  const find = (alias: string, kinds: TenantPrincipal['kind'][] = ['user'], prefersGoogle = false) =>
    cache.findPrincipal(tenantId, { alias, kinds, prefersGoogle });
  return { cache, find };
}

test('a principal is found by its id and by each of its aliases', () => {
  const { find } = createLoaded(principal('Ada-1', ['ada@contoso.example', '10032001abcdef01']));
  for (const alias of ['ada-1', 'ada@contoso.example', '10032001abcdef01']) expect(find(alias), alias).toBe('Ada-1');
  expect(find('bob@contoso.example')).toBeNull();
  expect(find('ada@contoso.example', ['app', 'agent'])).toBeNull();
});

test('a tenant is cached from its last portion on and until it is evicted', () => {
  const cache = createPrincipalCache();
  const query = { alias: 'ada@contoso.example', kinds: ['user'], prefersGoogle: false } as const;
  cache.apply({ kind: 'load', tenantId, principals: [principal('ada', ['ada@contoso.example'])], isLast: false });
  expect(cache.countAliases(tenantId)).toBeNull();
  cache.apply({ kind: 'load', tenantId, principals: [principal('bob', ['bob@contoso.example'])], isLast: false });
  cache.apply({ kind: 'load', tenantId, principals: [], isLast: true });
  expect(cache.countAliases(tenantId)).toBe(4);
  expect(cache.findPrincipal(tenantId, query)).toBe('ada');
  expect(cache.findPrincipal('b0000000-0000-4000-8000-000000000000', query)).toBeNull();
  cache.apply({ kind: 'evict', tenantIds: [tenantId] });
  expect(cache.countAliases(tenantId)).toBeNull();
  cache.apply({ kind: 'update', principals: [principal('ada', ['ada@contoso.example'])] });
  expect(cache.findPrincipal(tenantId, query)).toBeNull();
});

test('a new state replaces the aliases of the old one', () => {
  const { cache, find } = createLoaded(principal('ada', ['ada@contoso.example', 'shared@contoso.example']));
  cache.apply({ kind: 'update', principals: [principal('bob', ['shared@contoso.example'])] });
  expect(find('shared@contoso.example')).toBeNull();
  cache.apply({ kind: 'update', principals: [principal('ada', ['countess@contoso.example'])] });
  expect(find('ada@contoso.example')).toBeNull();
  expect(find('countess@contoso.example')).toBe('ada');
  expect(find('shared@contoso.example')).toBe('bob');
  expect(cache.countAliases(tenantId)).toBe(4);
});

test('an alias of two existing principals finds no principal, and an existing one is found before deleted ones', () => {
  const shared = ['team@contoso.example'];
  const { cache, find } = createLoaded(
    principal('ada', shared),
    principal('bob', shared),
    principal('eve', shared, { isDeleted: true }),
  );
  expect(find('team@contoso.example')).toBeNull();
  cache.apply({ kind: 'update', principals: [principal('bob', shared, { isDeleted: true })] });
  expect(find('team@contoso.example')).toBe('ada');
  cache.apply({ kind: 'update', principals: [principal('ada', shared, { isDeleted: true })] });
  expect(find('team@contoso.example')).toBeNull();
});

test('an own id has precedence over an alias of the same text', () => {
  const { find } = createLoaded(principal('x', []), principal('y', ['x']));
  expect(find('x')).toBe('x');
});

test('of two accounts with one address, the one at the provider of the record is found', () => {
  const { find } = createLoaded(
    principal('ada', ['ada@contoso.example']),
    principal('google:1', ['ada@contoso.example', '1']),
  );
  expect(find('ada@contoso.example')).toBe('ada');
  expect(find('ada@contoso.example', ['user'], true)).toBe('google:1');
});

test('the kinds are tried in their order', () => {
  const { find } = createLoaded(
    principal('the-agent', ['identity'], { kind: 'agent' }),
    principal('identity', [], { kind: 'app' }),
  );
  expect(find('identity', ['agent', 'app'])).toBe('the-agent');
  expect(find('identity', ['app', 'agent'])).toBe('identity');
});
