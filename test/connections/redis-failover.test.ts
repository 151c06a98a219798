import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, readRedisConnection, redisVariables } from '@tenantscope/runtime';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { eventually } from '../installation/eventually.ts';
import { startSentinelGroup } from '../services/redis-sentinels.ts';

test('a client that queries a sentinel while a failover is announced connects to the new primary', async () => {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'tenantscope-sentinels-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const { variables, sentinels, ...group } = stack.use(await startSentinelGroup(directory));
  const [queried, announcing] = sentinels;
  if (!queried || !announcing) throw new Error('two sentinels are needed');
  const { url, options } = readRedisConnection(readConfig(z.object(redisVariables), variables), variables);
  const client = stack.adopt(new Redis(url, { ...options, maxRetriesPerRequest: 0, retryStrategy: () => 1 }), (one) =>
    one.disconnect(),
  );
  client.on('error', () => {});
  await eventually('the client is connected', 10_000, () => client.status === 'ready');

  const before = await group.primary();
  const sentinel = stack.adopt(new Redis(announcing.url.href), (one) => one.disconnect());
  const events = stack.adopt(new Redis(announcing.url.href), (one) => one.disconnect());
  await eventually('the client waits for failovers', 10_000, async () =>
    / sub=1 .* cmd=subscribe/.test(String(await sentinel.client('LIST'))),
  );
  await events.subscribe('+promoted-slave', '+switch-master');
  const published = (channel: string) =>
    new Promise<void>((resolve) => events.on('message', (of) => of === channel && resolve()));
  const [promoted, announced] = [published('+promoted-slave'), published('+switch-master')];
  await sentinel.call('SENTINEL', 'failover', 'tenantscope');
  await promoted;
  // The client queries the sentinel that it queried before, which does not respond, while the other one announces the new primary.
  queried.pause();
  const server = stack.adopt(new Redis(before.address), (one) => one.disconnect());
  await server.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await announced;
  queried.resume();

  await eventually('the client is connected to the new primary', 10_000, async () => {
    const [role] = (await client.role()) as string[];
    return role === 'master';
  });
  expect(client.status).toBe('ready');
});
