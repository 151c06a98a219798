import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encryptFor } from '@tenantscope/proof';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from './command-line.ts';

let directory: string;
let recipientKey: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-pseudonyms-'));
  recipientKey = (await run(['pseudonyms', 'create-key', 'recipient.jwk'], { directory })).stdout.trim();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const writePack = async (rows: readonly unknown[]) =>
  writeFile(join(directory, 'pack.json'), JSON.stringify({ data: { sections: [{ key: 'pseudonym_key', rows }] } }));
const open = (...args: string[]) =>
  run(['pseudonyms', 'open', 'pack.json', '--key', 'recipient.jwk', ...args], { directory });

test('the persons of a pack are listed with the private key that create-key wrote for its owner only', async () => {
  expect((await stat(join(directory, 'recipient.jwk'))).mode & 0o777).toBe(0o600);
  const pseudonyms = [{ pseudonym: 'person-1', ids: ['a', 'b'], names: ['Ada \u001b[31mRed'] }];
  await writePack([{ jwe: await encryptFor(recipientKey, JSON.stringify({ pseudonyms })) }]);
  const { status, stdout } = await open();
  expect(status).toBe(0);
  expect(stdout).toMatch(/^pseudonym\s+names\s+ids\nperson-1\s+Ada .*Red\s+a; b\n$/);
  expect(stdout).not.toContain('\u001b');
  expect(JSON.parse((await open('--json')).stdout)).toEqual(pseudonyms);
});

test('an existing key is never replaced', async () => {
  const before = await readFile(join(directory, 'recipient.jwk'), 'utf8');
  const { status, stderr } = await run(['pseudonyms', 'create-key', 'recipient.jwk'], { directory });
  expect([status, stderr]).toEqual([1, 'tenantscope: recipient.jwk cannot be written: EEXIST\n']);
  expect(await readFile(join(directory, 'recipient.jwk'), 'utf8')).toBe(before);
});

test.each([
  ['a pack without a key', [], 'has no key to pseudonyms'],
  ['an altered key', [{ jwe: 'a..b.c.d' }], 'not a compact JWE'],
])('%s is refused with a reason', async (_, rows, reason) => {
  await writePack(rows);
  const { status, stdout, stderr } = await open();
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain(reason);
});

test('a key section for another recipient is refused', async () => {
  const { stdout } = await run(['pseudonyms', 'create-key', 'other.jwk'], { directory });
  await writePack([{ jwe: await encryptFor(stdout.trim(), '{}') }]);
  expect((await open()).stderr).toContain('the key does not open it');
});
