import { setTimeout as sleep } from 'node:timers/promises';
import { topicName, topics } from '@tenantscope/contract';
import { typeOfFormat } from '@tenantscope/intake';
import { cloudEvent, connectPublisher, type Message } from '@tenantscope/publish';
import { connectAdmin } from '@tenantscope/store';
import { eventually } from '../product/eventually.ts';
import { startProcess } from '../product/processes.ts';
import { activityRecord } from '../product/records.ts';
import { startApi } from './api-process.ts';
import { startFollowing } from './follow.ts';
import { asked, type BenchDatabase, type Installation } from './installation.ts';
import type { Section } from './report.ts';
import { quantile } from './statistics.ts';
import { type BenchTenant, makeTenants } from './workload.ts';

export interface LatencyOptions {
  /** Records a second that one process can take, as just measured; null: measure it. */
  topRate: number | null;
  durationMs: number;
}

const shares = [0.1, 0.9];
const warmUpMs = 5_000;
const sendIntervalMs = 10;
const pollIntervalMs = 20;
const sendsAtOnce = 8;
/** Together below what a broker takes in one batch. */
const sendRecords = 500;
/** One key may ask 600 times a minute; the follower asks 50 times a second. */
const keyCount = 6;

/**
 * How long after a record was handed to the producer a poller has it: GET /logs, followed by resumeCursor, for one tenant of many, while
 * all of them are written at a steady rate.
 */
export async function benchLatency(
  installation: Installation,
  { topRate, durationMs }: LatencyOptions,
  say: (line: string) => void,
): Promise<Section> {
  const database = await installation.migrated();
  const environment = installation.environment(database);
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'bench');
  const tenants = await makeTenants(admin, {
    partitions: topics.activity.partitions,
    perPartition: 2,
    organizationId: null,
  });
  const followed = tenants[0];
  if (!followed) throw new Error('there is no tenant');
  const key = { name: 'bench', scopes: ['logs:read'], owner: { tenantId: followed.id }, expiresAt: null };
  const secrets: string[] = [];
  for (let number = 0; number < keyCount; number++) secrets.push((await admin.keys.create(key)).secret);
  await using _ingest = await startProcess('ingest', environment);
  await using api = await startApi(environment);

  const top = topRate ?? (await measureTop(installation, database, tenants));
  const rows: (string | number)[][] = [];
  for (const share of shares) {
    const rate = Math.round(top * share);
    say(`latency: ${rate} records/s`);
    const following = startFollowing({ port: api.port, secrets, pollIntervalMs });
    const fromMs = Date.now() + warmUpMs;
    const produced = await produce(installation, database, tenants, { rate, durationMs: warmUpMs + durationMs });
    await sleep(3_000);
    const seen = (await following.end()).filter((one) => one.producedAtMs >= fromMs);
    const latencies = seen.map((one) => one.seenAtMs - one.producedAtMs);
    if (latencies.length === 0) throw new Error('the follower has seen nothing');
    rows.push([
      `${Math.round(share * 100)} % of ${Math.round(top)} records/s`,
      Math.round(produced.perSecond),
      latencies.length,
      ...[0.5, 0.9, 0.99, 1].map((part) => Math.round(quantile(latencies, part))),
    ]);
  }
  return {
    title: 'Produced to visible',
    words:
      'Milliseconds from handing a record to the producer until a poller that follows resumeCursor of GET /logs, asking again ' +
      `${pollIntervalMs} ms after each answer, holds it. One ingest process as installed, ${tenants.length} tenants, one followed.`,
    columns: ['', 'produced/s', 'seen', 'p50 ms', 'p90 ms', 'p99 ms', 'most ms'],
    rows,
  };
}

/** How many records a second become rows when more are produced than can be. */
async function measureTop(
  installation: Installation,
  database: BenchDatabase,
  tenants: readonly BenchTenant[],
): Promise<number> {
  const written = async () => {
    const [row] = await asked(
      database.superuser,
      "select sum(next_offset)::integer as done from models.ingest_lane where source = 'raw.activity.v1'",
    );
    return Number(row?.done);
  };
  const producing = produce(installation, database, tenants, { rate: 100_000, durationMs: 8_000 });
  await sleep(3_000);
  const [before, beganAt] = [await written(), performance.now()];
  await sleep(4_000);
  const rate = ((await written()) - before) / ((performance.now() - beganAt) / 1_000);
  const { count } = await producing;
  await eventually('what was produced is written', 120_000, async () => (await written()) >= count);
  return rate;
}

/**
 * Sends at a rate, each record bearing its time. Several sends are under way at once, as with several collectors; when all are, what is due is
 * left out, so that the rate is what the producer could do and a record's time is never that of a queue.
 */
async function produce(
  { services }: Installation,
  database: BenchDatabase,
  tenants: readonly BenchTenant[],
  { rate, durationMs }: { rate: number; durationMs: number },
): Promise<{ count: number; perSecond: number }> {
  await using publisher = await connectPublisher({ brokers: services.kafka, clientId: 'bench' });
  const topic = topicName(database.topicPrefix, topics.activity);
  const sending = new Set<Promise<void>>();
  const beganAt = performance.now();
  let count = 0;
  let due = 0;
  for (let lastAt = beganAt; lastAt - beganAt < durationMs; ) {
    await sleep(sendIntervalMs);
    const now = performance.now();
    due = Math.min(due + ((now - lastAt) / 1_000) * rate, sendRecords);
    lastAt = now;
    if (sending.size >= sendsAtOnce || due < 1) continue;
    const messages = Array.from({ length: Math.floor(due) }, () => timedMessage(tenants, count++));
    due -= messages.length;
    const sent = publisher.send(topic, messages).finally(() => sending.delete(sent));
    sending.add(sent);
  }
  await Promise.all(sending);
  return { count, perSecond: (count / (performance.now() - beganAt)) * 1_000 };
}

/** The record's own id says when it was made: the document carries it through as externalEventId. */
function timedMessage(tenants: readonly BenchTenant[], number: number): Message {
  const nowMs = Date.now();
  const time = nowMs.toString(16).padStart(12, '0');
  const id = `${time.slice(0, 8)}-${time.slice(8)}-4000-8000-${number.toString(16).padStart(12, '0')}`;
  const creationTime = new Date(nowMs).toISOString().slice(0, 19);
  return cloudEvent({
    id,
    source: '/collectors/bench',
    type: typeOfFormat('o365.management-activity'),
    tenantId: tenants[number % tenants.length]?.id ?? '',
    timeMs: nowMs,
    value: Buffer.from(pattern.replace('$Id', id).replace('$CreationTime', creationTime)),
  });
}

const pattern = JSON.stringify(
  activityRecord(1, { Id: '$Id', CreationTime: '$CreationTime', padding: 'p'.repeat(700) }),
);
