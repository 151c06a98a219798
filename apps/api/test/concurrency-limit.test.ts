import { ApiError } from '@tenantscope/contract';
import { expect, test } from 'vitest';
import { queuedReadsPerKey, readsPerKey } from '../src/limits.ts';
import { createConcurrencyLimiter } from '../src/throttling/concurrency-limit.ts';

function gate() {
  const open: (() => void)[] = [];
  return { open, work: () => new Promise<void>((resolve) => open.push(resolve)) };
}

test('a key runs a few reads concurrently, the rest are queued, and another key is not delayed', async () => {
  const limiter = createConcurrencyLimiter(() => false);
  const { open, work } = gate();
  const reads = Array.from({ length: readsPerKey + 5 }, () => limiter.run('one', work));
  await Promise.resolve();
  expect(open.length).toBe(readsPerKey);
  await expect(limiter.run('two', async () => 'served')).resolves.toBe('served');
  while (open.length > 0) {
    open.shift()?.();
    await new Promise(setImmediate);
  }
  await Promise.all(reads);
  expect(limiter.inFlight).toBe(0);
});

test('a failing read frees its slot', async () => {
  const limiter = createConcurrencyLimiter(() => false);
  for (let n = 0; n < readsPerKey * 3; n += 1)
    await expect(limiter.run('one', () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  await expect(limiter.run('one', async () => 'served')).resolves.toBe('served');
});

test('a full queue, and overload, reject requests with 503 and Retry-After', async () => {
  const limiter = createConcurrencyLimiter(() => false);
  const { open, work } = gate();
  const reads = Array.from({ length: readsPerKey + queuedReadsPerKey }, () => limiter.run('one', work));
  const refused = await limiter.run('one', work).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ApiError);
  expect(refused).toMatchObject({ code: 'SERVICE_UNAVAILABLE', headers: { 'Retry-After': '1' } });
  await expect(createConcurrencyLimiter(() => true).run('one', work)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
  while (limiter.inFlight > 0) {
    open.shift()?.();
    await new Promise(setImmediate);
  }
  await Promise.all(reads);
});
