// @module-tag exhaustive
import { pbkdf2, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compress } from '../src/http/compression.ts';

/** Documents of a log page: their ids do not compress, the rest does. */
function createPage(rows: number): Buffer {
  const ids = () => Array.from({ length: 8 }, () => randomUUID());
  return Buffer.from(JSON.stringify(Array.from({ length: rows }, () => ({ ids: ids(), text: 'x'.repeat(800) }))));
}

test.each([
  { name: 'a short body', body: Buffer.alloc(1_024, 'a') },
  { name: 'a page', body: createPage(1_000) },
  { name: 'a pack of ten pages', body: createPage(10_000) },
  { name: 'a text', body: createPage(1_000).toString() },
])('$name is compressed without a loss in both codings', async ({ body }) => {
  const [zstd, gzip] = [await compress(body, 'zstd'), await compress(body, 'gzip')];
  expect([zstd.encoding, gzip.encoding]).toEqual(['zstd', 'gzip']);
  expect(zstdDecompressSync(zstd.body as Buffer).equals(Buffer.from(body))).toBe(true);
  expect(gunzipSync(gzip.body as Buffer).equals(Buffer.from(body))).toBe(true);
});

test.each(['gzip', 'zstd'])('a page waits for a thread of the pool twice to be compressed with %s', async (coding) => {
  const page = createPage(1_000);
  const derive = promisify(pbkdf2);
  const queued = 16;
  let completed = 0;
  let isCompressed = false;
  // Longer than the compression of the page, so that few complete in other threads meanwhile.
  const occupyThread = async () => {
    for (; !isCompressed; completed++) await derive('secret', 'salt', 20_000, 32, 'sha256');
  };
  const busy = Array.from({ length: queued }, occupyThread);
  await compress(page, coding);
  isCompressed = true;
  // Once for the page, once for its end; each time behind everything that is queued.
  expect(completed).toBeLessThan(4 * queued);
  await Promise.all(busy);
});
