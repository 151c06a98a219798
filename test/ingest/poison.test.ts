import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { placeholders, writeBlanks } from '../installation/compressed-blanks.ts';
import { eventually } from '../installation/eventually.ts';
import { startIngestInstallation } from '../installation/ingest-installation.ts';
import { startProcess } from '../installation/processes.ts';

const mebibyte = 1_048_576;

const { installation, broker, inspector, ingest, topic } = await startIngestInstallation();
const tenant = await installation.createTenant();
let written = 0;

/** Records of another tenant in all partitions: their rows are counted at the end. */
async function appendElsewhere(partitions: readonly number[]): Promise<void> {
  for (const partition of partitions)
    await broker.append(topic, partition, [activityMessage(tenant.id, activityRecord(written++))]);
}
const allWritten = () => inspector.rowCount(tenant.id).then((rows) => rows === written);
const lane = async (partition: number) =>
  (await installation.admin.lanes.list()).find((one) => one.topic === topic && one.partition === partition);
const residentBytes = () =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${ingest.child.pid}/status`, 'utf8'))?.[1]) * 1_024;

test.each([
  // The most that each format reaches: 20:1 in snappy, 250:1 in lz4, more than 1,000:1 in gzip, 31,000:1 in zstd.
  ['gzip', 1, 2, 20],
  ['snappy', 2, 2, 20],
  ['lz4', 3, 2, 20],
  ['zstd', 4, 10, 64],
] as const)('a batch in %s above the bound stops its lane alone', async (codec, partition, count, mebibytesEach) => {
  const blanks = { codec, count, bytesEach: mebibytesEach * mebibyte };
  const others = [0, 5, 6, 7, 8, 9, 10, 11];
  // Before the poison in its own lane, and in others before, during and after.
  await appendElsewhere([partition, ...others]);
  await eventually('records before the batch become rows', 15_000, allWritten);
  const before = residentBytes();
  using codecOfBlanks = await writeBlanks(blanks);
  const { compression } = codecOfBlanks;
  const offset = await broker.append(topic, partition, placeholders(blanks), { compression });
  await appendElsewhere(others);
  await eventually('the lane is stopped', 15_000, async () => (await lane(partition))?.state === 'stopped');
  expect(await lane(partition)).toMatchObject({ nextOffset: Number(offset) });
  const reason = (await lane(partition))?.reason;
  expect(reason).toContain(`batch at offsets ${offset} to ${Number(offset) + count - 1} cannot be decoded`);
  expect(reason).toContain(`its ${codec} content is larger than 33554432 bytes`);
  expect(reason).toContain(`tenantscope lanes skip ${topic}/${partition} --to ${Number(offset) + count} `);
  await appendElsewhere(others);
  await eventually('records of other lanes become rows', 15_000, allWritten);
  expect(residentBytes() - before).toBeLessThan(160 * mebibyte);
});

test('stopped lanes are reported by list, status, readiness, log and metrics, and the group did not rebalance', async () => {
  const listed = await installation.cli<{ data: { partition: number; state: string }[] }>('lanes', 'list');
  expect(listed.data.filter(({ state }) => state === 'stopped').map(({ partition }) => partition)).toEqual([
    1, 2, 3, 4,
  ]);
  const status = await installation.cli<{ lanes: { state: string; reason: string | null }[] }>('status');
  expect(status.lanes.filter(({ state }) => state === 'stopped')).toHaveLength(4);
  const health = (path: string) => fetch(`http://127.0.0.1:${ingest.healthPort}${path}`);
  expect((await health('/livez')).status).toBe(200);
  expect(await (await health('/readyz')).text()).toContain('cannot be decoded');
  const metrics = await (await health('/metrics')).text();
  expect(metrics).toContain(`ingest_lane_running{cluster="main",topic="${topic}",partition="4",cell="default"} 0`);
  expect(metrics).toMatch(
    new RegExp(`ingest_undecodable_batches_total\\{topic="${topic}",codec="zstd",cell="default"\\} 1`),
  );
  const lines = ingest
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { msg: string; partition?: number; batch?: object });
  expect(lines.filter(({ msg }) => msg === 'joined the group')).toHaveLength(1);
  const stops = lines.filter(({ msg }) => msg === 'lane stopped; resume or skip required');
  expect(stops.map(({ partition }) => partition)).toEqual([1, 2, 3, 4]);
  expect(stops[3]?.batch).toMatchObject({
    codec: 'zstd',
    records: 10,
    firstRecord: { key: 'poison' },
  });
});

const skip = (partition: number, to: number, ...more: string[]) =>
  installation.cli<{ fromOffset: number; records: number | null; batches: number | null; completedAt: string | null }>(
    ...['lanes', 'skip', `${topic}/${partition}`, '--to', String(to), '--reason', 'a broken collector', ...more],
  );
const stoppedAt = async (partition: number) => Number((await lane(partition))?.nextOffset);

test('a skip that goes backwards, ends inside the batch or beyond the log is refused, and the lane stays stopped', async () => {
  const at = await stoppedAt(4);
  await expect(skip(4, at)).rejects.toThrow(`is at offset ${at}; --to must be greater`);
  await expect(skip(4, at + 11)).rejects.toThrow(`ends at offset ${at + 10}`);
  await expect(skip(4, at + 3)).rejects.toThrow(
    `lies within the batch at offsets ${at} to ${at + 9}, which cannot be decoded; use ${at + 10}`,
  );
  await expect(skip(5, 1)).rejects.toThrow('only a stopped, tripped or stalled lane can be skipped');
  await expect(installation.cli('lanes', 'skip', `${topic}/4`, '--to', String(at + 10))).rejects.toThrow('--reason');
  expect(await lane(4)).toMatchObject({ state: 'stopped', nextOffset: at });
}, 120_000);

test('resuming without a skip stops the lane at the same batch again', async () => {
  const reason = (await lane(1))?.reason;
  await installation.cli('lanes', 'resume', `${topic}/1`);
  const stops = () => ingest.output().split('its gzip content is larger').length;
  await eventually('the lane is stopped again', 20_000, async () => (await lane(1))?.reason === reason && stops() > 2);
});

let skippedRecords: readonly string[] = [];

test('a skip retains the batch and the records of its range as dead letters, and the lane continues after it', async () => {
  const at = await stoppedAt(4);
  // Two records within the range, two after it, in one batch.
  const behind = [0, 1, 2, 3].map(() => activityMessage(tenant.id, activityRecord(written++)));
  await broker.append(topic, 4, behind);
  expect(await skip(4, at + 12)).toMatchObject({ fromOffset: at, records: 2, batches: 1 });
  written -= 2;
  await eventually('records after the range become rows', 20_000, allWritten);
  expect(await lane(4)).toMatchObject({ state: 'running', reason: null, nextOffset: at + 14 });

  const deadLetters = (await inspector.deadLetters()).filter(({ partition }) => partition === 4);
  expect(deadLetters.map(({ reason, offset }) => [reason, Number(offset)])).toEqual([
    ['UNDECODABLE_BATCH', at + 9],
    ['SKIPPED', at + 10],
    ['SKIPPED', at + 11],
  ]);
  expect(deadLetters[0]?.value?.subarray(0, 8).readBigInt64BE()).toBe(BigInt(at));
  expect(deadLetters[1]?.value?.toString()).toBe(behind[0]?.value?.toString());
  skippedRecords = deadLetters.slice(1).map(({ id }) => id);

  const { rows } = await inspector.client.query(
    `select action, actor, after from control.admin_event where subject_type = 'lane_skip' and after ->> 'to_offset' = $1 order by number`,
    [String(at + 12)],
  );
  expect(rows).toMatchObject([
    {
      action: 'created',
      actor: expect.stringMatching(/^cli:/),
      after: { from_offset: at, reason: 'a broken collector' },
    },
    { action: 'changed', actor: expect.stringMatching(/^ingest:/), after: { record_count: 2, batch_count: 1 } },
  ]);
  const metrics = await (await fetch(`http://127.0.0.1:${ingest.healthPort}/metrics`)).text();
  expect(metrics).toContain(`ingest_dead_letters_total{topic="${topic}",reason="UNDECODABLE_BATCH",cell="default"} 1`);
}, 120_000);

test('skips that are requested while ingestion is stopped are executed when it starts, and their records can be replayed', async () => {
  await ingest[Symbol.asyncDispose]();
  for (const partition of [1, 2, 3])
    expect(await skip(partition, (await stoppedAt(partition)) + 2, '--wait', '0')).toMatchObject({ completedAt: null });
  expect(await lane(2)).toMatchObject({
    skip: { toOffset: (await stoppedAt(2)) + 2, reason: 'a broken collector', requestedAt: expect.any(String) },
  });
  expect(await lane(4)).toMatchObject({ skip: null });
  await expect(skip(2, (await stoppedAt(2)) + 2, '--wait', '0')).rejects.toThrow('already requested');
  await appendElsewhere([1, 2, 3, 6, 7]);
  const environment = { ...installation.environment, TENANTSCOPE_CONSUMER_GROUP: `test-${randomUUID()}` };
  await using _restarted = await startProcess('ingest', environment, { waitUntilReady: false });
  await eventually('all records are rows', 30_000, allWritten);
  for (const partition of [1, 2, 3]) {
    expect(await lane(partition)).toMatchObject({ state: 'running', reason: null });
    const deadLetters = (await inspector.deadLetters()).filter((one) => one.partition === partition);
    expect(deadLetters.map(({ reason }) => reason)).toEqual(['UNDECODABLE_BATCH']);
  }
  await eventually('the skips are completed', 20_000, async () => (await lane(2))?.skip === null);
  await installation.cli('dead-letters', 'replay', ...skippedRecords);
  written += skippedRecords.length;
  await eventually('replayed records become rows', 20_000, allWritten);
}, 180_000);
