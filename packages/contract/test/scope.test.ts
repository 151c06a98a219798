import { asTenantId, expandScopes, parseGuid, scopes } from '@tenantscope/contract';
import { expect, test } from 'vitest';

test('the former scope name grants the scope that replaced it, and unknown names grant nothing', () => {
  expect([...expandScopes(['monitoring-alerts:read', 'everything', '__proto__'])]).toEqual(['policy-scans:read']);
  expect([...expandScopes(['users:read', 'logs:read', 'logs:read'])]).toEqual(['logs:read', 'users:read']);
  expect([...expandScopes(scopes)]).toEqual([...scopes]);
});

test('a GUID is parsed case-insensitively and any other text is rejected', () => {
  expect(parseGuid('0A9D3C1E-7B52-4C0E-8F11-2D6E5F4A3B2C')).toBe('0a9d3c1e-7b52-4c0e-8f11-2d6e5f4a3b2c');
  for (const text of ['', '*', 'null', '0a9d3c1e7b524c0e8f112d6e5f4a3b2c', '0a9d3c1e-7b52-4c0e-8f11-2d6e5f4a3b2c\n'])
    expect(parseGuid(text), text).toBeNull();
  expect(() => asTenantId('nonsense')).toThrow(TypeError);
});
