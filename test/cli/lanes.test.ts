import { expect, test } from 'vitest';
import { onServer } from '../services/template.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';

/** Lanes as ingestion leaves them: one running, one stopped. */
async function twoLanes(line: CommandLine): Promise<string> {
  const settledAt = new Date(Date.now() + 3_600_000).toISOString();
  await onServer(line.superuser, (client) =>
    client.query(
      `insert into models.ingest_lane (cluster_id, topic_id, partition, topic, source, next_offset, settled_at, state, reason)
       select 'cluster', gen_random_uuid(), partition, $1, 'raw.activity.v1', 120, $2, state, reason
         from (values (0, 'running', null), (7, 'stopped', 'a gap: 120 expected, 200 fetched')) as lane (partition, state, reason)`,
      [line.topic, settledAt],
    ),
  );
  return settledAt;
}

test('a stopped lane is listed and resumes once', async () => {
  await using line = await createCommandLine();
  expect(await line.json('lanes', 'list')).toEqual({ data: [] });
  const settledAt = await twoLanes(line);
  expect((await line.json('lanes', 'list')).data).toMatchObject([
    { topic: line.topic, partition: 0, state: 'running', nextOffset: 120, settledAt },
    { topic: line.topic, partition: 7, state: 'stopped', reason: 'a gap: 120 expected, 200 fetched' },
  ]);
  const resume = ['lanes', 'resume', `${line.topic}/7`];
  expect(await line.json(...resume)).toEqual({ cluster: 'main', topic: line.topic, partition: 7, resumed: true });
  expect(await line.json(...resume)).toEqual({ cluster: 'main', topic: line.topic, partition: 7, resumed: false });
  expect((await line.json('lanes', 'list')).data).toMatchObject([{ state: 'running' }, { state: 'running' }]);
});

test('an unknown or malformed lane name is rejected', async () => {
  await using line = await createCommandLine();
  expect(await line.run('lanes', 'resume', `${line.topic}/3`)).toMatchObject({ status: 1, stdout: '' });
  for (const name of [line.topic, `${line.topic}/x`, '/3', 'a b/3']) {
    expect(await line.run('lanes', 'resume', name)).toMatchObject({ status: 2, stdout: '' });
  }
});

test('status shows feed progress, stalled lanes and open dead letters', async () => {
  await using line = await createCommandLine();
  const settledAt = await twoLanes(line);
  expect(await line.json('status')).toMatchObject({
    feeds: { logs: { completeThrough: settledAt, unread: 0, unreadSince: null } },
    lanes: [{ state: 'running' }, { state: 'stopped' }],
    deadLetters: { pending: [] },
    partitions: { retentionDays: 400, sealedBefore: null, unsealed: 0, unsealedRowsDone: 0 },
    keys: { active: 0, expired: 0, revoked: 0 },
  });
  const { status, stdout } = await line.run('status');
  expect(status).toBe(0);
  expect(stdout).toContain('complete through');
  expect(stdout).toContain(`${line.topic}/7 stopped: a gap: 120 expected, 200 fetched`);
  expect(stdout).toContain('No dead letters are pending.');
  expect(stdout).toContain('Keys: 0 active, 0 expired, 0 revoked.');
});

test('status counts rows of unknown categories by tenant and name', async () => {
  await using line = await createCommandLine();
  const tenantId = 'b1a7c3d2-0000-4000-8000-000000000001';
  await onServer(line.superuser, (client) =>
    client.query(
      `insert into models.source_progress (tenant_id, source, cluster_id, topic_id, partition, last_discovered_at, row_count, is_unlisted)
       select $1, source, 'cluster', '00000000-0000-4000-8000-000000000000', partition, '2026-11-20T08:00:00Z', 1200, is_unlisted
         from (values ('logs', 0, false), ('logs/SignInLogs', 0, false), ('logs/NewLogs', 0, true), ('logs/NewLogs', 1, true)) as one (source, partition, is_unlisted)`,
      [tenantId],
    ),
  );
  expect(await line.json('status')).toMatchObject({
    unknownCategories: [{ tenantId, category: 'NewLogs', rows: 2400, lastDiscoveredAt: '2026-11-20T08:00:00.000Z' }],
  });
  const { stdout } = await line.run('status');
  expect(stdout).toMatch(new RegExp(`2,400 +NewLogs +${tenantId}`));
});

test('a lane whose watermark does not move is stalled, in the list and in the status', async () => {
  await using line = await createCommandLine();
  await twoLanes(line);
  await onServer(line.superuser, (client) =>
    client.query(`update models.ingest_lane set settled_at = '2026-11-22T12:00:00Z' where partition = 0`),
  );
  const reason = 'watermark not moved since 2026-11-22T12:00:00.000Z: no ingest process runs, or its lane is locked';
  expect((await line.json('lanes', 'list')).data).toMatchObject([{ state: 'stalled', reason }, { state: 'stopped' }]);
  const { stdout } = await line.run('status');
  expect(stdout).toContain('Lanes: 2, of which 2 not running');
  expect(stdout).toContain(`${line.topic}/0 stalled: ${reason}`);
});

test('status shows running processes, several versions, and unfinished backfills', async () => {
  await using line = await createCommandLine();
  expect(await line.json('status')).toMatchObject({ processes: [], mixedVersions: false, backfills: [] });
  await onServer(line.superuser, (client) =>
    client.query(
      `insert into control.process (instance, app, host, version, seen_at)
       select gen_random_uuid(), app, 'host/1', version, clock_timestamp() - ago::interval
         from (values ('api', '1.0.0', '5 s'), ('ingest', '1.1.0', '20 s'), ('jobs', '0.9.0', '61 s')) as one (app, version, ago);
       insert into models.log_tally_backfill values ('lag', '2026-11-20T08:00:00Z', '2026-11-19T07:00:00Z'), ('actor', '2026-11-20T08:00:00Z', null)`,
    ),
  );
  expect(await line.json('status')).toMatchObject({
    processes: [
      { app: 'api', version: '1.0.0', host: 'host/1' },
      { app: 'ingest', version: '1.1.0', host: 'host/1' },
    ],
    mixedVersions: true,
    backfills: [{ name: 'lag', nextAt: '2026-11-19T07:00:00.000Z', untilAt: '2026-11-20T08:00:00.000Z' }],
  });
  const { stdout } = await line.run('status');
  expect(stdout).toContain('Processes of several versions run: 1.0.0, 1.1.0.');
  expect(stdout).toContain('Backfill lag: rows until 2026-11-19T07:00:00.000Z of 2026-11-20T08:00:00.000Z are done.');
});
