import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRunningTime } from '../src/throttling/running-time.ts';
import { createScene, ownerOf } from './budget-scene.ts';

test('a tenant whose reads ran longer than its budget reads one page at a time, with any number of keys', async () => {
  const scene = createScene();
  for (const key of ['a', 'b', 'c']) scene.send(ownerOf('noisy', key), 8);
  expect(await scene.count('noisy')).toBe(8);
  await scene.pass(150);
  await scene.finish('noisy', 7);
  expect(await scene.count('noisy')).toBe(1);
  for (let n = 0; n < 16; n++) {
    await scene.pass(400);
    await scene.finish('noisy', 1);
    expect(await scene.count('noisy')).toBe(1);
  }
});

test('a key that spends its budget on several tenants reads one page at a time, and another key of these tenants is not limited', async () => {
  const scene = createScene();
  for (const tenant of ['one', 'two', 'three', 'four']) scene.send(ownerOf(tenant, 'wide'), 2);
  await scene.pass(500);
  for (const tenant of ['one', 'two', 'three', 'four']) await scene.finish(tenant, 2);
  scene.send(ownerOf('five', 'wide'), 4);
  expect(await scene.count('five')).toBe(1);
  scene.send(ownerOf('one', 'other'), 4);
  expect(await scene.count('one')).toBe(4);
});

test('other tenants are not limited by a tenant over its budget', async () => {
  const scene = createScene();
  scene.send(ownerOf('noisy'), 40);
  await scene.pass(5_000);
  await scene.finish('noisy', 8);
  scene.send(ownerOf('quiet'), 8);
  expect(await scene.count('quiet')).toBe(8);
});

test('a client that sends one request after the other is not limited, however long they run', async () => {
  const scene = createScene();
  for (let n = 0; n < 20; n++) {
    scene.send(ownerOf('patient'), 1);
    await scene.pass(5_000);
    await scene.finish('patient', 1);
  }
  scene.send(ownerOf('patient'), 8);
  expect(await scene.count('patient')).toBe(8);
});

test('a hundred quick pages, eight at once, stay within the budget', async () => {
  const scene = createScene();
  scene.send(ownerOf('quick'), 72);
  for (let n = 0; n < 12; n++) {
    await scene.pass(10);
    expect(await scene.count('quick')).toBeGreaterThanOrEqual(Math.min(8, 72 - n * 8));
    await scene.finish('quick', 8);
  }
});

test('an idle tenant gets its budget back', async () => {
  const scene = createScene();
  scene.send(ownerOf('noisy'), 8);
  await scene.pass(1_000);
  await scene.finish('noisy', 8);
  // 1,000 ms of budget and 7,000 ms above it were spent.
  await scene.pass(6_000);
  scene.send(ownerOf('noisy'), 2);
  expect(await scene.count('noisy')).toBe(1);
  await scene.finish('noisy', 1);
  await scene.finish('noisy', 1);
  await scene.pass(1);
  scene.send(ownerOf('noisy'), 8);
  expect(await scene.count('noisy')).toBe(8);
});

test('requests of a tenant never run longer than its average and its burst, and a request that the budget allows is never delayed', async () => {
  const step = fc.record({ send: fc.nat(3), finish: fc.nat(3), ms: fc.nat(400) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const scene = createScene({ queued: 512 });
      let [balanceMs, sent, finished] = [1_000, 0, 0];
      for (const { send, finish, ms } of steps) {
        scene.send(ownerOf('one'), send);
        sent += send;
        const before = await scene.count('one');
        await scene.pass(ms);
        balanceMs = Math.min(1_000, balanceMs + (1 - before) * ms);
        await scene.finish('one', finish);
        finished += Math.min(finish, before);
        const runs = await scene.count('one');
        expect(runs).toBeGreaterThanOrEqual(Math.min(sent - finished, balanceMs > 0 ? 8 : 1));
        if (balanceMs <= 0) expect(runs).toBeLessThanOrEqual(Math.max(1, before - Math.min(finish, before)));
      }
    }),
    { numRuns: 200 },
  );
});

test('accounts of tenants at rest take no memory', () => {
  let nowMs = 0;
  const time = createRunningTime(
    { sustained: 1, burstMs: 1_000, contended: { key: 1, tenant: 1, isReduced: true }, isUsualTimeFree: false },
    { now: () => nowMs, contention: { getShare: () => 1, contendedShare: 0.25 } },
  );
  for (let n = 0; n < 1_000; n++) {
    const owner = ownerOf(`tenant ${n}`);
    for (const amount of [1, 1, -1, -1] as const) {
      time.add(owner, amount);
      nowMs += 10;
    }
  }
  // Each spent 10 ms above the average, and got them back within the next 10 ms.
  expect(time.accounts).toBeLessThanOrEqual(256);
});
