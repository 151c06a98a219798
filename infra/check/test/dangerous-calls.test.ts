import { expect, test } from 'vitest';
import { checkDangerousCalls, parse } from '../src/index.ts';

const check = (text: string, path = 'apps/api/src/a.ts') =>
  checkDangerousCalls(parse({ path, text })).map(({ message }) => message);

test.each([
  [`import { execFile } from 'node:child_process';`, 'child_process'],
  [`const load = () => import('child_process');`, 'child_process'],
  [`import vm from 'node:vm';`, 'vm'],
  [`import { deserialize } from 'node:v8';`, 'objects of any type'],
  [`eval(text);`, 'text as code'],
  [`new Function('a', text);`, 'text as code'],
])('product code starts no process and runs no text as code: %s is found', (text, message) => {
  expect(check(text)).toEqual([expect.stringContaining(message)]);
  expect(check(text, 'infra/local/src/a.ts')).toEqual([]);
});

test('Math.random is found except in files of pauses, so that no secret comes from it', () => {
  expect(check('const token = Math.random();')).toEqual([expect.stringContaining('can be guessed')]);
  expect(check('const pauseMs = Math.random();', 'apps/ingest/src/retry.ts')).toEqual([]);
});

test.each([
  `const cipher = 'aes-256-cbc';`,
  `createCipheriv('aes-128-ecb', key, null);`,
  `const cipher = 'aes-256-ctr';`,
  `createHash('md5');`,
  `createHash('sha1');`,
  `hash('sha1', bytes);`,
  `createHmac('sha512', key);`,
  `createHash(algorithm);`,
])('a cipher other than AES-256-GCM and a hash other than SHA-256 is found: %s', (text) => {
  expect(check(text)).toHaveLength(1);
});

test('approved ciphers and hashes are not found', () => {
  expect(check(`createCipheriv('aes-256-gcm', key, iv); createHash('sha256'); createHmac('sha256', key);`)).toEqual([]);
  expect(check(`hash(password, { memoryCost: 1 }); read({ hash: 'sha1' });`)).toEqual([]);
});

test('a request of a service that would follow redirects is found, one of a page is not', () => {
  const message = expect.stringContaining('follows redirects');
  expect(check('fetch(url);')).toEqual([message]);
  expect(check(`fetch(url, { redirect: 'follow' });`)).toEqual([message]);
  expect(check(`fetch(url, { method: 'POST', redirect: 'error' }); fetch(url, { redirect: 'manual' });`)).toEqual([]);
  expect(check('fetch(url);', 'apps/console/web/client/api-client.ts')).toEqual([]);
});
