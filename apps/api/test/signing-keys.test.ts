import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateSigningKey, InvalidKeyError, parseSigningKey } from '@tenantscope/proof';
import { expect, test } from 'vitest';
import type { ApiConfig } from '../src/config.ts';
import { createSigningKeyReader } from '../src/documents/signing-keys.ts';

const keysOf = async (variables: Partial<ApiConfig>) => createSigningKeyReader(variables as ApiConfig)();

test('without a signing key nothing is signed or published', async () => {
  expect(await keysOf({})).toEqual({ signing: null, published: { keys: [] } });
});

test('a retired key is published after the signing key, without private parts', async () => {
  const [now, before] = [await generateSigningKey(), await parseSigningKey(await generateSigningKey())];
  const retired = JSON.stringify({ keys: [before.public] });
  const { signing, published } = await keysOf({ TENANTSCOPE_SIGNING_KEY: now, TENANTSCOPE_RETIRED_KEYS: retired });
  expect(published.keys.map(({ kid }) => kid)).toEqual([signing?.kid, before.kid]);
  expect(JSON.stringify(published)).not.toContain(JSON.parse(now).d);
});

test('keys are also read from files, and may have a kid', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'keys-'));
  const file = join(directory, 'signing.jwk');
  await writeFile(file, await generateSigningKey());
  const { signing } = await keysOf({ TENANTSCOPE_SIGNING_KEY: file, TENANTSCOPE_SIGNING_KEY_ID: '2026-autumn' });
  expect(signing?.public).toMatchObject({ kid: '2026-autumn' });
  await rm(directory, { recursive: true });
});

test.each([
  ['a missing file', { TENANTSCOPE_SIGNING_KEY: '/nowhere/key' }, /^TENANTSCOPE_SIGNING_KEY: .*cannot be read/],
  ['an invalid key', { TENANTSCOPE_SIGNING_KEY: '{"kty":"RSA"}' }, /^TENANTSCOPE_SIGNING_KEY: .*Ed25519/],
  ['an invalid set of keys', { TENANTSCOPE_RETIRED_KEYS: '{"kty":"OKP"}' }, /^TENANTSCOPE_RETIRED_KEYS: .*"keys"/],
])('%s prevents startup, and the error names the variable', async (_, variables, message) => {
  await expect(keysOf(variables)).rejects.toThrow(InvalidKeyError);
  await expect(keysOf(variables)).rejects.toThrow(message);
});

test('a private key among the retired keys prevents startup', async () => {
  const retired = JSON.stringify({ keys: [JSON.parse(await generateSigningKey())] });
  await expect(keysOf({ TENANTSCOPE_RETIRED_KEYS: retired })).rejects.toThrow(/must not contain a private key/);
});

test('a key that is rotated in its file signs from then on, and one that is invalid is reported and not used', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'keys-'));
  const [file, retiredFile] = [join(directory, 'signing_key'), join(directory, 'retired_keys')];
  const [before, after] = [await generateSigningKey(), await generateSigningKey()];
  const publicOf = async (key: string) => (await parseSigningKey(key)).public;
  await writeFile(file, before);
  await writeFile(retiredFile, '{"keys":[]}');
  const reports: string[] = [];
  const variables = { TENANTSCOPE_SIGNING_KEY: before, TENANTSCOPE_RETIRED_KEYS: retiredFile } as ApiConfig;
  const read = createSigningKeyReader(variables, (variable, problem) => reports.push(`${variable} ${problem}`), {
    TENANTSCOPE_SIGNING_KEY_FILE: file,
  });
  expect((await read()).signing?.public).toEqual(await publicOf(before));

  await writeFile(retiredFile, JSON.stringify({ keys: [await publicOf(before), await publicOf(after)] }));
  expect((await read()).published.keys).toEqual([await publicOf(before), await publicOf(after)]);
  await writeFile(file, after);
  const { signing, published } = await read();
  expect(signing?.public).toEqual(await publicOf(after));
  expect(published.keys).toEqual([await publicOf(after), await publicOf(before)]);

  await writeFile(file, '{"kty":"RSA"}');
  expect((await read()).signing?.public).toEqual(await publicOf(after));
  await rm(file);
  expect((await read()).signing?.public).toBeDefined();
  expect(reports).toEqual([
    'TENANTSCOPE_RETIRED_KEYS null',
    'TENANTSCOPE_SIGNING_KEY null',
    expect.stringMatching(/^TENANTSCOPE_SIGNING_KEY .*Ed25519/),
    'TENANTSCOPE_SIGNING_KEY null',
  ]);
  await rm(directory, { recursive: true });
});
