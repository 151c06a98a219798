import { expect, test } from 'vitest';
import { consoleConfig } from '../src/config.ts';

const least = {
  TENANTSCOPE_CONSOLE_DATABASE_URL: 'postgres://console@127.0.0.1/tenantscope',
  TENANTSCOPE_PUBLIC_URL: 'https://api.example.com/api/v1',
  TENANTSCOPE_CONSOLE_URL: 'https://console.example.com',
  TENANTSCOPE_CONSOLE_SECRET: 'a secret that is long enough to be one',
};
const organization = '3f2b8c1e-5d4a-4b6f-9c8d-7e6f5a4b3c2d';
const provider = {
  TENANTSCOPE_CONSOLE_OIDC_ISSUER: 'https://login.example.com',
  TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID: 'console',
  TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION: organization,
  TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS: 'admins, more admins',
};
const { TENANTSCOPE_CONSOLE_SECRET: _, ...withoutSecret } = least;

test.each<[string, object]>([
  ['the minimal configuration', least],
  ['a provider', { ...least, ...provider }],
  ['no secret without local sign-in', { ...withoutSecret, TENANTSCOPE_CONSOLE_LOCAL_SIGN_IN: 'off' }],
  ['a provider on loopback', { ...least, ...provider, TENANTSCOPE_CONSOLE_OIDC_ISSUER: 'http://localhost:3000' }],
])('%s is accepted', (_, given) => {
  expect(consoleConfig.safeParse(given).error?.issues ?? []).toEqual([]);
});

test.each<[string, object, string]>([
  ['local accounts without a secret', withoutSecret, 'CONSOLE_SECRET'],
  ['a short secret', { ...least, TENANTSCOPE_CONSOLE_SECRET: 'short' }, 'CONSOLE_SECRET'],
  [
    'a provider without a secret',
    { ...withoutSecret, ...provider, TENANTSCOPE_CONSOLE_LOCAL_SIGN_IN: 'off' },
    'CONSOLE_SECRET',
  ],
  [
    'a provider over http',
    { ...least, ...provider, TENANTSCOPE_CONSOLE_OIDC_ISSUER: 'http://login.example.com' },
    'CONSOLE_OIDC_ISSUER',
  ],
  [
    'a provider without groups',
    { ...least, ...provider, TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS: '' },
    'CONSOLE_OIDC_ISSUER',
  ],
  ['a console over http', { ...least, TENANTSCOPE_CONSOLE_URL: 'http://console.example.com' }, 'CONSOLE_URL'],
  [
    'a demo on an address outside loopback',
    { ...least, TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION: organization },
    'CONSOLE_DEMO_ORGANIZATION',
  ],
])('%s is refused, and the variable is named', (_, given, variable) => {
  const { error } = consoleConfig.safeParse(given);
  expect(error?.issues.map(({ path }) => path.join('.'))).toContain(`TENANTSCOPE_${variable}`);
});

test('groups are parsed as a list without surrounding blanks', () => {
  expect(consoleConfig.parse({ ...least, ...provider }).TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS).toEqual([
    'admins',
    'more admins',
  ]);
});
