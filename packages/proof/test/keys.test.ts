import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  fromBase64url,
  generateSigningKey,
  InvalidKeyError,
  parseJwks,
  parseSigningKey,
  signDetached,
  toBase64url,
  uuidV8FromDigest,
  verifyDetached,
} from '../src/index.ts';

// RFC 8037 appendix A.
const rfc = {
  kty: 'OKP',
  crv: 'Ed25519',
  d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
};

test('a key without a kid is named by its thumbprint, as in RFC 8037 A.3', async () => {
  const key = await parseSigningKey(JSON.stringify(rfc));
  expect(key.kid).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  expect(key.public).toEqual({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: key.kid, x: rfc.x });
});

test('a key is read from PKCS #8 too, and its public key verifies its signatures', async () => {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const key = await parseSigningKey(pem, 'autumn');
  const jws = await signDetached('payload', key);
  const keys = { keys: [key.public] };
  expect(await verifyDetached(jws, 'payload', keys)).toBe('valid');
  expect(await verifyDetached(jws, 'another', keys)).toBe('invalid');
  expect(await verifyDetached(jws, 'payload', { keys: [] })).toBe('unknownKey');
});

test('a rotated key still verifies next to the current signing key', async () => {
  const [before, now] = [
    await parseSigningKey(await generateSigningKey()),
    await parseSigningKey(await generateSigningKey()),
  ];
  const jws = await signDetached('payload', before);
  expect(await verifyDetached(jws, 'payload', { keys: [now.public, before.public] })).toBe('valid');
  expect(await verifyDetached(jws, 'payload', { keys: [{ ...now.public, kid: before.kid }] })).toBe('invalid');
});

test('a signature with any other protected header is malformed', async () => {
  const key = await parseSigningKey(JSON.stringify(rfc), 'k');
  const [, , value] = (await signDetached('payload', key)).split('.');
  const header = (text: string) => toBase64url(new TextEncoder().encode(text));
  for (const text of ['{"alg":"none","kid":"k"}', '{"kid":"k","alg":"EdDSA"}', '{"alg":"EdDSA","kid":"k","b64":false}'])
    expect(await verifyDetached(`${header(text)}..${value}`, 'payload', { keys: [key.public] })).toBe('malformed');
});

test.each([
  ['a text without a key', 'hello', /private JWK/],
  ['invalid JSON', '{"kty":', /not valid JSON/],
  ['a public key', JSON.stringify({ ...rfc, d: undefined }), /d and x/],
  ['another curve', JSON.stringify({ ...rfc, crv: 'X25519' }), /Ed25519/],
  ['a private part of another public part', JSON.stringify({ ...rfc, x: `A${rfc.x.slice(1)}` }), /Ed25519 key/],
  ['a PEM with other content', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----', /Ed25519 key/],
])('%s is not a signing key, and the message does not contain it', async (_, text, message) => {
  await expect(parseSigningKey(text)).rejects.toThrow(InvalidKeyError);
  await expect(parseSigningKey(text)).rejects.toThrow(message);
  await expect(parseSigningKey(text)).rejects.not.toThrow(rfc.d);
});

const jwk = { kty: 'OKP', crv: 'Ed25519', kid: 'k', x: rfc.x };

test('keys of other kinds in a JWKS are ignored', () => {
  expect(
    parseJwks(JSON.stringify({ keys: [{ kty: 'RSA', n: 'AQAB', kid: 'r' }, jwk] })).keys.map((key) => key.kid),
  ).toEqual(['k']);
});

test.each([
  ['not JSON', 'nonsense', /JSON/],
  ['not a set', '[]', /"keys"/],
  ['a private key', JSON.stringify({ keys: [{ ...jwk, d: rfc.d }] }), /private/],
  ['a key without kid', JSON.stringify({ keys: [{ ...jwk, kid: undefined }] }), /kid/],
  ['two keys of one kid', JSON.stringify({ keys: [jwk, jwk] }), /same kid/],
  ['a short point', JSON.stringify({ keys: [{ ...jwk, x: 'AAAA' }] }), /32 bytes/],
  ['a point in padded base64', JSON.stringify({ keys: [{ ...jwk, x: `${rfc.x}=` }] }), /canonical/],
  ['a point with stray bits', JSON.stringify({ keys: [{ ...jwk, x: `${rfc.x.slice(0, -1)}p` }] }), /canonical/],
])('%s is not a valid JWKS', (_, text, message) => {
  expect(() => parseJwks(text)).toThrow(InvalidKeyError);
  expect(() => parseJwks(text)).toThrow(message);
});

test('base64url has one text per value', () => {
  expect(toBase64url(Uint8Array.of(251, 255))).toBe('-_8');
  expect(fromBase64url('-_8')).toEqual(Uint8Array.of(251, 255));
  for (const text of ['-_9', '-_8=', '+/8', '-_8\n', 'A']) expect(fromBase64url(text)).toBeNull();
});

test('the id of a digest is its first sixteen bytes as a UUID of version 8', () => {
  expect(uuidV8FromDigest('f'.repeat(64))).toBe('ffffffff-ffff-8fff-bfff-ffffffffffff');
  expect(uuidV8FromDigest('0'.repeat(64))).toBe('00000000-0000-8000-8000-000000000000');
  expect(() => uuidV8FromDigest('F'.repeat(64))).toThrow(TypeError);
});
