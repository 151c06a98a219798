import { createHash } from 'node:crypto';
import { TOTP } from 'otpauth';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ConsoleClient, createTestConsole, type TestConsole } from './test-console.ts';

let running: TestConsole;
let superuser: pg.Client;
let anonymous: ConsoleClient;

beforeAll(async () => {
  running = await createTestConsole();
  superuser = new pg.Client(running.database.superuser);
  await superuser.connect();
  anonymous = await running.signIn(null);
});
afterAll(async () => {
  await superuser?.end();
  await running?.[Symbol.asyncDispose]();
});
beforeEach(() => superuser.query('delete from control.sign_in_failure'));

const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const codeNow = () => new TOTP({ secret }).generate();
const strong = 'a long enough password';

/** Creates an account; returns its recovery codes. */
async function createAccount(name: string, password: string): Promise<readonly string[]> {
  const token = await running.createSetUpToken('admin');
  const totp = { secret, code: codeNow() };
  const response = await anonymous.request('POST', '/console/api/set-up', { token, name, password, totp });
  expect(response.status, response.text).toBe(200);
  return response.body.recoveryCodes;
}

/** The status of a sign-in whose second factor is right. */
async function signIn(name: string, password: string): Promise<number> {
  await superuser.query('delete from control.sign_in_failure');
  await superuser.query(`update control.member_credential set facts = '{}' where kind = 'totp'`);
  return (await anonymous.request('POST', '/console/api/sign-in/local', { name, password, second: codeNow() })).status;
}

async function storedSecrets(name: string, kind: string): Promise<readonly string[]> {
  const { rows } = await superuser.query(
    `select c.secret from control.member_credential c join control.member m on m.id = c.member_id where m.name = $1 and c.kind = $2`,
    [name, kind],
  );
  return rows.map((row) => row.secret);
}

test('a password is stored as an Argon2id hash with 19 MiB and two passes', async () => {
  await createAccount('Ada', strong);
  const [hash, ...others] = await storedSecrets('Ada', 'password');
  expect(others).toEqual([]);
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
});

test.each([
  ['lower case letters alone', 'mountainriverpaperlantern'],
  ['digits alone', '83920174650219'],
  ['other scripts, symbols and emoji', 'zażółć 漢字 ☂ 🦊 gęślą jaźń'],
  ['a blank at either end', ' quiet harbour lights '],
  ['64 characters', 'correct horse battery staple, then seven more words of no meaning'.slice(0, 64)],
  ['1,024 characters', `the long one ${'kq7 wz'.repeat(169)}`.slice(0, 1_024)],
])('a password of %s is accepted and verified exactly as it was sent', async (name, password) => {
  await createAccount(name, password);
  expect(await signIn(name, password)).toBe(200);
  const changed = [`${password} `, ` ${password}`, password.slice(0, -1), password.slice(1)];
  const upper = password.toUpperCase();
  for (const other of upper === password ? changed : [...changed, upper])
    expect(await signIn(name, other), JSON.stringify(other)).not.toBe(200);
});

test('a password is valid until it is changed', async () => {
  await createAccount('Beda', strong);
  await superuser.query(`update control.member_credential set created_at = created_at - interval '10 years'`);
  expect(await signIn('Beda', strong)).toBe(200);
});

test('a recovery code has 160 random bits, and its digest alone is stored', async () => {
  const codes = await createAccount('Cyril', strong);
  for (const code of codes) expect(code).toMatch(/^[A-Z2-7]{4}(?:-[A-Z2-7]{4}){7}$/);
  // Five bits a character: of 320 characters of ten codes hardly any value is missing.
  expect(new Set(codes.join('').replaceAll('-', '')).size).toBeGreaterThan(24);
  const digests = codes.map((code) => createHash('sha256').update(code.replaceAll('-', '')).digest('hex'));
  expect([...(await storedSecrets('Cyril', 'recovery'))].sort()).toEqual(digests.sort());
});

test('passwords, passkeys, authenticators and recovery codes are the only credentials', async () => {
  const { rows } = await superuser.query(
    `select pg_get_constraintdef(oid) as definition from pg_constraint
      where conrelid = 'control.member_credential'::regclass and conname = 'member_credential_kind_check'`,
  );
  expect(rows.map(({ definition }) => definition.match(/'\w+'/g))).toEqual([
    ["'password'", "'passkey'", "'totp'", "'recovery'"],
  ]);
});
