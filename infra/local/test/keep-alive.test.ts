import { expect, test, vi } from 'vitest';
import { keepAlive, type Life } from '../src/start/keep-alive.ts';

test('what dies young is started again, each time after a longer while, until it is released', async () => {
  vi.spyOn(console, 'log').mockReturnValue();
  const begunMs = performance.now();
  const startsMs: number[] = [];
  const dead: Life = { pid: 1, ended: Promise.resolve('ended (exit status 1)') };
  const { promise, resolve } = Promise.withResolvers<string>();
  const lives = [dead, { pid: 3, ended: promise }];
  const kept = keepAlive(
    'api',
    dead,
    async () => {
      startsMs.push(performance.now() - begunMs);
      return lives.shift() ?? dead;
    },
    async () => undefined,
  );

  await vi.waitFor(() => expect(kept.pid).toBe(3), 5_000);
  kept.release();
  resolve('ended (SIGTERM)');
  await vi.waitFor(() => expect(kept.pid).toBeNull());
  expect(startsMs.map((atMs) => Math.round(atMs / 500))).toEqual([1, 3]);
});
