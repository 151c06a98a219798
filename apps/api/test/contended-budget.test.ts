import { expect, test } from 'vitest';
import { contendedDocuments } from '../src/limits.ts';
import { createScene, ownerOf } from './budget-scene.ts';

test('while tenants contend, each tenant and each key runs one request at a time', async () => {
  const scene = createScene();
  scene.setContended(true);
  for (const key of ['a', 'b']) scene.send(ownerOf('one', key), 4);
  scene.send(ownerOf('two', 'wide'), 1);
  scene.send(ownerOf('three', 'wide'), 1);
  expect([await scene.count('one'), await scene.count('two'), await scene.count('three')]).toEqual([1, 1, 0]);
  scene.setContended(false);
  await scene.lookAgain();
  expect([await scene.count('one'), await scene.count('two'), await scene.count('three')]).toEqual([8, 1, 1]);
});

test('while tenants contend, a tenant over its budget runs a quarter of the time, with any number of keys', async () => {
  const scene = createScene();
  scene.setContended(true);
  for (const key of ['a', 'b', 'c']) scene.send(ownerOf('noisy', key), 20);
  let ranMs = 0;
  for (let elapsedMs = 0; elapsedMs < 20_000; elapsedMs += 500) {
    const running = await scene.count('noisy');
    await scene.pass(500);
    ranMs += running * 500;
    await scene.finish('noisy', running);
    await scene.lookAgain();
  }
  // A quarter of the budget and of 20 s, and the request that spent it.
  expect(ranMs).toBeGreaterThanOrEqual(0.25 * (1_000 + 20_000) - 500);
  expect(ranMs).toBeLessThanOrEqual(0.25 * (1_000 + 20_000) + 500);
});

test('requests that wait for the budget of a contending tenant run one at a time when it is refilled or the contention ends', async () => {
  const scene = createScene();
  scene.setContended(true);
  scene.send(ownerOf('noisy'), 12);
  await scene.pass(500);
  await scene.finish('noisy', 1);
  expect(await scene.count('noisy')).toBe(0);
  // 250 ms of budget, and 125 ms above it, were spent.
  await scene.pass(500);
  await scene.lookAgain();
  expect(await scene.count('noisy')).toBe(0);
  await scene.pass(1);
  await scene.lookAgain();
  expect(await scene.count('noisy')).toBe(1);
  await scene.pass(500);
  await scene.finish('noisy', 1);
  expect(await scene.count('noisy')).toBe(0);
  scene.setContended(false);
  await scene.lookAgain();
  expect(await scene.count('noisy')).toBe(1);
});

test('a request that waits for the budget is not overtaken by a later one of its tenant', async () => {
  const scene = createScene();
  scene.setContended(true);
  scene.send(ownerOf('noisy', 'first'), 1);
  await scene.pass(500);
  await scene.finish('noisy', 1);
  const order: string[] = [];
  scene.send(ownerOf('noisy', 'first'), 1, { onStart: () => order.push('earlier') });
  // 250 ms of budget and 125 ms above it were spent: enough for one is refilled.
  await scene.pass(600);
  scene.send(ownerOf('noisy', 'second'), 1, { onStart: () => order.push('later') });
  await scene.count('noisy');
  expect(order).toEqual(['earlier']);
  await scene.pass(100);
  await scene.finish('noisy', 1);
  await scene.pass(1_000);
  await scene.lookAgain();
  expect(order).toEqual(['earlier', 'later']);
});

test('while tenants contend, a request that the budget does not allow in time is refused at once', async () => {
  const scene = createScene({ queueTimeoutMs: 5_000 });
  scene.setContended(true);
  const refused: string[] = [];
  const refuse = (error: unknown) => refused.push((error as Error).message);
  scene.send(ownerOf('noisy'), 1, { refuse });
  // 250 ms of budget, and 1,250 ms above it, are spent: they are refilled in 5,000 ms.
  await scene.pass(2_000);
  scene.send(ownerOf('noisy', 'other'), 1, { refuse });
  await scene.pass(1);
  expect(refused).toEqual([]);
  scene.send(ownerOf('noisy', 'other'), 1, { refuse });
  scene.send(ownerOf('quiet'), 1, { refuse });
  expect([await scene.count('noisy'), await scene.count('quiet')]).toEqual([1, 1]);
  expect(refused).toEqual(['queue_timeout']);
});

test('while tenants contend, fewer requests of each wait', async () => {
  const scene = createScene({ queued: 8 });
  const refused: string[] = [];
  const refuse = (error: unknown) => refused.push((error as Error).message);
  scene.setContended(true);
  scene.send(ownerOf('one'), 4, { refuse });
  scene.send(ownerOf('two'), 3, { refuse });
  await scene.pass(1);
  expect(refused).toEqual(['queue_full']);
  scene.setContended(false);
  // Eight run, with the three before, and eight wait.
  scene.send(ownerOf('one'), 14, { refuse });
  await scene.pass(1);
  expect(refused).toEqual(['queue_full', 'queue_full']);
});

test('a tenant that reads quick pages one after the other is not limited while it contends with others', async () => {
  const scene = createScene();
  scene.setContended(true);
  for (let n = 0; n < 100; n++) {
    scene.send(ownerOf('poller'), 1);
    expect(await scene.count('poller')).toBe(1);
    await scene.pass(20);
    await scene.finish('poller', 1);
    await scene.pass(80);
  }
});

test('while tenants contend, pages that take as long as those of others are not limited, and longer ones are', async () => {
  const scene = createScene({
    timeBudget: {
      sustained: 1,
      burstMs: 1_000,
      contended: { key: 1, tenant: 1, isReduced: true },
      isUsualTimeFree: true,
    },
  });
  scene.setContended(true);
  const counts: number[] = [];
  for (let second = 0; second < 40; second++) {
    for (const tenant of ['a', 'b', 'c']) {
      scene.send(ownerOf(tenant), 1);
      await scene.count(tenant);
    }
    scene.send(ownerOf('noisy'), 1);
    await scene.pass(400);
    for (const tenant of ['a', 'b', 'c']) {
      counts.push(await scene.count(tenant));
      await scene.finish(tenant, 1);
    }
    await scene.pass(600);
    await scene.finish('noisy', 1);
  }
  expect(counts.slice(60)).toEqual(Array(60).fill(1));
  expect(await scene.count('noisy')).toBe(0);
});

test('while tenants contend, tenants of an organization are limited each on its own', async () => {
  const scene = createScene({ per: { tenant: 2, organization: 4 } });
  scene.setContended(true);
  const tenants = ['one', 'two', 'three', 'four', 'five'];
  for (const tenant of tenants) scene.send({ ...ownerOf(tenant), organizationId: 'organization' }, 2);
  expect(await Promise.all(tenants.map((tenant) => scene.count(tenant)))).toEqual([1, 1, 1, 1, 0]);
});

test('while tenants contend, a key of an organization runs the documents of four tenants at once', async () => {
  const scene = createScene({
    timeBudget: { sustained: 1, burstMs: 5_000, contended: contendedDocuments, isUsualTimeFree: false },
    queueTimeoutMs: 5_000,
  });
  scene.setContended(true);
  const tenants = Array.from({ length: 8 }, (_, number) => `tenant ${number}`);
  const refused: unknown[] = [];
  for (const tenant of tenants) scene.send(ownerOf(tenant, 'sweep'), 1, { refuse: (error) => refused.push(error) });
  const count = async () => (await Promise.all(tenants.map((tenant) => scene.count(tenant)))).reduce((a, b) => a + b);
  expect(await count()).toBe(4);
  await scene.pass(400);
  for (const tenant of tenants.slice(0, 4)) await scene.finish(tenant, 1);
  expect(await count()).toBe(4);
  expect(refused).toEqual([]);
});
