import { randomUUID } from 'node:crypto';
import { claimStream, finishRun } from '@tenantscope/store/collect';
import { openEpoch } from '@tenantscope/store/ingest';
import { expect, test } from 'vitest';
import { openDatabaseInspector } from '../installation/database-inspector.ts';
import { createTestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';

async function openStreams(stack: AsyncDisposableStack) {
  const database = stack.use(await createTestDatabase());
  const inspector = stack.use(await openDatabaseInspector(database.superuser));
  const [collect, ingest] = [database.roles.collect, database.roles.ingest].map((url) => {
    const pool = openTestPool(url);
    stack.defer(() => pool.end());
    return pool;
  }) as [ReturnType<typeof openTestPool>, ReturnType<typeof openTestPool>];
  await openEpoch({ pool: ingest, schema: 'control' });
  return { client: inspector.client, collect };
}

test('a claim can leave out streams whose last run failed', async () => {
  await using stack = new AsyncDisposableStack();
  const { client, collect } = await openStreams(stack);
  await client.query(
    `insert into control.collector (tenant_id, provider, url, secret_file, streams, interval_seconds, start_at)
     values (gen_random_uuid(), 'okta', 'https://okta.example', '/secret', '{failing,other}', 60, now())`,
  );
  const claim = (withoutFailed: boolean) =>
    claimStream(collect, { providers: ['okta'], leaseMs: 60_000, worker: 'test', withoutFailed });
  const claimed = [await claim(true), await claim(true)];
  expect(claimed.map((one) => one?.stream).toSorted()).toEqual(['failing', 'other']);
  for (const one of claimed) {
    const failure = one?.stream === 'failing' ? { kind: 'unavailable', message: 'a failure' } : null;
    const completedAtMs = failure === null ? Date.now() : null;
    await finishRun(collect, one?.leaseId ?? '', { dueInMs: 0, completedAtMs, failure });
  }
  expect((await claim(true))?.stream).toBe('other');
  expect(await claim(true)).toBeNull();
  expect((await claim(false))?.stream).toBe('failing');
});

test('a stream of a tenant without a run is claimed before those of one that has runs, which have been due for longer', async () => {
  await using stack = new AsyncDisposableStack();
  const { client, collect } = await openStreams(stack);
  const [busy, other] = [randomUUID(), randomUUID()];
  await client.query(
    `insert into control.collector (tenant_id, provider, url, secret_file, streams, interval_seconds, start_at)
     values ($1, 'okta', 'https://okta.example', '/secret', '{a,b,c}', 60, now()), ($2, 'okta', 'https://okta.example', '/secret', '{other}', 60, now())`,
    [busy, other],
  );
  const claim = (...runningTenants: string[]) =>
    claimStream(collect, { providers: ['okta'], leaseMs: 60_000, worker: 'test', runningTenants });
  const first = await claim(other);
  expect(first?.tenantId).toBe(busy);
  await client.query(`update control.collector_stream set due_at = now() - interval '1 hour' where stream <> 'other'`);
  expect((await claim(busy))?.stream).toBe('other');
  expect((await claim(busy, other))?.tenantId).toBe(busy);
});
