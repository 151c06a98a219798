import { id } from './console-paths.ts';

/** Texts that no client sends by accident. */
export const texts = [
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff',
  '\u202e\u0007',
  '__proto__',
  'constructor',
  'toString',
  "'; drop table keys; --",
  '%00',
  '-1',
  '1e999',
  'NaN',
  '9007199254740993',
  '99999999999999999999999999',
  '0x10',
  '+275760-09-13',
  '294277-01-01',
  '0000-00-00',
  '9999-12-31T23:59:60Z',
  '{}',
  '[]',
  'ą'.repeat(1_000),
];
/** Values that no member accepts. */
export const values: unknown[] = [
  ...texts,
  null,
  true,
  0,
  -1,
  1e308,
  1.5,
  2 ** 53,
  [],
  {},
  [[]],
  ['\0'],
  [null],
  { length: 1 },
  { toString: 'x' },
  JSON.parse('{"then":{}}'),
  Array.from({ length: 3_000 }, () => 'x'),
];

/** A valid body for each change; the tests replace one member at a time. */
export const bodies: Record<string, Record<string, unknown>> = {
  'PATCH /organization': { keyLifetimeDays: 30, expected: null },
  'POST /keys': {
    name: 'x',
    tenantId: id,
    scopes: ['logs:read'],
    expiresAt: '2099-01-01',
    replaces: id,
    oldKeyEndsAt: '2099-01-01',
  },
  'PATCH /keys/:id': { name: 'x', expiresAt: '2099-01-01', expected: { name: 'x', expiresAt: null } },
  'POST /playground/run': {
    operation: 'ping',
    tenantId: id,
    mode: 'rest',
    id: 'x',
    parameters: { severity: 'high' },
    scopesOf: 'me',
  },
  'POST /dead-letters/requests': { action: 'dryRun', ids: [id], reason: 'x' },
  'POST /members/:id': {
    role: 'viewer',
    tenantIds: [id],
    disabled: false,
    expected: { role: 'viewer', tenantIds: null, disabled: false },
  },
  'POST /reauthenticate': {
    password: 'x',
    second: '123456',
    passkey: { id: 'x', rawId: 'x', response: {} },
    demo: true,
  },
  'POST /credentials/passkey': {
    name: 'x',
    response: { id: 'x', rawId: 'x', response: { clientDataJSON: 'x', attestationObject: 'x' } },
  },
  'POST /console/api/sign-in/local': { name: 'x', password: 'x', second: '123456' },
  'POST /console/api/sign-in/passkey/verify': {
    response: { id: 'x', rawId: 'x', response: { clientDataJSON: 'x', authenticatorData: 'x', signature: 'x' } },
  },
  'POST /console/api/set-up/passkey/options': { name: 'x' },
  'POST /console/api/set-up': {
    token: 'x'.repeat(32),
    name: 'x',
    password: 'a long enough password',
    totp: { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', code: '123456' },
    passkey: { name: 'x', response: {} },
  },
};
