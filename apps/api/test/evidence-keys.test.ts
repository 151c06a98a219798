import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSigningKey, readSigningKey, UnusableKey } from '@tenantscope/proof';
import { expect, test } from 'vitest';
import type { ApiConfig } from '../src/config.ts';
import { readEvidenceKeys } from '../src/evidence-keys.ts';

const keysOf = (variables: Partial<ApiConfig>) => readEvidenceKeys(variables as ApiConfig);

test('without a signing key nothing is signed and nothing is published', async () => {
  expect(await keysOf({})).toEqual({ signing: null, published: { keys: [] } });
});

test('a key that signed before is published behind the one that signs now, and never its private part', async () => {
  const [now, before] = [await makeSigningKey(), await readSigningKey(await makeSigningKey())];
  const retired = JSON.stringify({ keys: [before.public] });
  const { signing, published } = await keysOf({ TENANTSCOPE_SIGNING_KEY: now, TENANTSCOPE_RETIRED_KEYS: retired });
  expect(published.keys.map(({ kid }) => kid)).toEqual([signing?.kid, before.kid]);
  expect(JSON.stringify(published)).not.toContain(JSON.parse(now).d);
});

test('keys are read from files too, and may be named', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'keys-'));
  const file = join(directory, 'signing.jwk');
  await writeFile(file, await makeSigningKey());
  const { signing } = await keysOf({ TENANTSCOPE_SIGNING_KEY: file, TENANTSCOPE_SIGNING_KEY_ID: '2026-autumn' });
  expect(signing?.public).toMatchObject({ kid: '2026-autumn' });
  await rm(directory, { recursive: true });
});

test.each([
  [
    'a file that is not there',
    { TENANTSCOPE_SIGNING_KEY: '/nowhere/key' },
    /^TENANTSCOPE_SIGNING_KEY: .*cannot be read/,
  ],
  ['no key', { TENANTSCOPE_SIGNING_KEY: '{"kty":"RSA"}' }, /^TENANTSCOPE_SIGNING_KEY: .*Ed25519/],
  ['no set of keys', { TENANTSCOPE_RETIRED_KEYS: '{"kty":"OKP"}' }, /^TENANTSCOPE_RETIRED_KEYS: .*"keys"/],
])('%s stops the start with the name of the variable', async (_, variables, words) => {
  await expect(keysOf(variables)).rejects.toThrow(UnusableKey);
  await expect(keysOf(variables)).rejects.toThrow(words);
});

test('a private key among those that are published stops the start', async () => {
  const retired = JSON.stringify({ keys: [JSON.parse(await makeSigningKey())] });
  await expect(keysOf({ TENANTSCOPE_RETIRED_KEYS: retired })).rejects.toThrow(/never stand among public keys/);
});
