import { ApiError } from '@tenantscope/contract';
import { expect, test } from 'vitest';
import { readsPerKey, readsWaitingPerKey } from '../src/limits.ts';
import { createTurns } from '../src/turns.ts';

function gate() {
  const open: (() => void)[] = [];
  return { open, work: () => new Promise<void>((resolve) => open.push(resolve)) };
}

test('a key reads a few pages at once, the rest wait their turn, and another key is not held up', async () => {
  const turns = createTurns(() => false);
  const { open, work } = gate();
  const reads = Array.from({ length: readsPerKey + 5 }, () => turns.take('one', work));
  await Promise.resolve();
  expect(open.length).toBe(readsPerKey);
  await expect(turns.take('two', async () => 'served')).resolves.toBe('served');
  while (open.length > 0) {
    open.shift()?.();
    await new Promise(setImmediate);
  }
  await Promise.all(reads);
  expect(turns.inFlight).toBe(0);
});

test('a failing read gives its place back', async () => {
  const turns = createTurns(() => false);
  for (let n = 0; n < readsPerKey * 3; n += 1)
    await expect(turns.take('one', () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  await expect(turns.take('one', async () => 'served')).resolves.toBe('served');
});

test('more than may wait, and everything while overloaded, is shed with 503 and Retry-After', async () => {
  const turns = createTurns(() => false);
  const { open, work } = gate();
  const reads = Array.from({ length: readsPerKey + readsWaitingPerKey }, () => turns.take('one', work));
  const refused = await turns.take('one', work).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ApiError);
  expect(refused).toMatchObject({ code: 'SERVICE_UNAVAILABLE', headers: { 'Retry-After': '1' } });
  await expect(createTurns(() => true).take('one', work)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  while (turns.inFlight > 0) {
    open.shift()?.();
    await new Promise(setImmediate);
  }
  await Promise.all(reads);
});
