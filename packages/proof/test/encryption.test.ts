import { expect, test } from 'vitest';
import { decryptWith, encryptFor, generateRecipientKey } from '../src/index.ts';

test('a text that another implementation encrypted is opened', async () => {
  const privateJwk =
    '{"kty":"OKP","crv":"X25519","d":"sKvMLWkeeBzp7gDv6AtIU76J-H0LDgW_h7UXuZfGEWg","x":"7zj4pAsfYu8PF4PJ6RVYY85g2unOI3mY6NbRxYjoTDE"}';
  const jwe =
    'eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTI1NkdDTSIsImVwayI6eyJjcnYiOiJYMjU1MTkiLCJrdHkiOiJPS1AiLCJ4IjoieHVUYlJwU2tnX2tCeHBJdlJ0VkZFeF9zTzloYUlVWTNzRmVIRFBUM3NrQSJ9fQ..M1D1S3qBjqMrpn6W.voJzdhn6hnFRfA.LjqiYg-8MiCwN_cMbITsQw';
  expect(await decryptWith(privateJwk, jwe)).toBe('Zażółć');
});

test('the header names the algorithms and the ephemeral key', async () => {
  const { publicKey } = await generateRecipientKey();
  const [header = ''] = (await encryptFor(publicKey, 'Zażółć "gęślą" jaźń 🔑')).split('.');
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
    alg: 'ECDH-ES',
    enc: 'A256GCM',
    epk: { kty: 'OKP', crv: 'X25519', x: expect.any(String) },
  });
});

test('only the recipient opens it, and equal texts have different results', async () => {
  const [own, other] = [await generateRecipientKey(), await generateRecipientKey()];
  const jwe = await encryptFor(own.publicKey, 'text');
  expect(await decryptWith(own.privateJwk, jwe)).toBe('text');
  expect(await decryptWith(own.privateJwk, await encryptFor(own.publicKey, ''))).toBe('');
  await expect(decryptWith(other.privateJwk, jwe)).rejects.toThrow('does not open it');
  expect(await encryptFor(own.publicKey, 'text')).not.toBe(jwe);
});

test('an altered part is refused', async () => {
  const { privateJwk, publicKey } = await generateRecipientKey();
  const parts = (await encryptFor(publicKey, 'a longer text')).split('.');
  for (const place of [0, 2, 3, 4]) {
    const part = parts[place] ?? '';
    const altered = parts.with(place, (part.startsWith('A') ? 'B' : 'A') + part.slice(1)).join('.');
    await expect(decryptWith(privateJwk, altered)).rejects.toThrow(/does not open it|not a compact JWE/);
  }
  for (const text of ['', 'a.b.c', parts.slice(0, 4).join('.'), `${parts.join('.')}.x`])
    await expect(decryptWith(privateJwk, text)).rejects.toThrow('not a compact JWE');
});

test.each([
  ['empty', ''],
  ['31 bytes', 'A'.repeat(42)],
  ['padded', `${'A'.repeat(43)}=`],
  ['not canonical', `${'A'.repeat(42)}B`],
  ['of low order', 'A'.repeat(43)],
])('a recipient key that is %s is refused', async (_, key) => {
  await expect(encryptFor(key, 'text')).rejects.toThrow(/X25519/);
});

test('a private key of another kind is refused without its content in the message', async () => {
  for (const text of ['', '{}', '{"kty":"OKP","crv":"Ed25519","d":"secret","x":"y"}', '[]', 'null'])
    await expect(decryptWith(text, 'a..b.c.d')).rejects.toThrow('not a private X25519 key as JWK');
});
