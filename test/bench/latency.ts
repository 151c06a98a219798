import { setTimeout as sleep } from 'node:timers/promises';
import { topicName, topics } from '@tenantscope/contract';
import { toEventType } from '@tenantscope/intake';
import { connectPublisher, createCloudEventMessage, type Message } from '@tenantscope/publish';
import { connectAdmin } from '@tenantscope/store/admin';
import { activityRecord } from '../installation/activity-records.ts';
import { eventually } from '../installation/eventually.ts';
import { startProcess } from '../installation/processes.ts';
import { startApi } from './api-process.ts';
import { startFollower } from './follower-process.ts';
import { type BenchDatabase, type BenchInstallation, runStatement } from './installation.ts';
import type { Section } from './report.ts';
import { quantile } from './statistics.ts';
import { type BenchTenant, createTenants } from './workload.ts';

export interface LatencyOptions {
  /** Records per second that one process can ingest, as measured before; null to measure it. */
  topRate: number | null;
  durationMs: number;
}

const shares = [0.1, 0.9];
const warmUpMs = 5_000;
const sendIntervalMs = 10;
const pollIntervalMs = 20;
const sendsAtOnce = 8;
/** In total below the size limit of a broker batch. */
const sendRecords = 500;
/** One key may send 600 requests per minute; the follower sends 50 per second. */
const keyCount = 6;

/**
 * Measures the time from handing a record to the producer until a poller has it: GET /logs by resumeCursor for one of
 * many tenants, while all tenants are written at a steady rate.
 */
export async function benchLatency(
  installation: BenchInstallation,
  { topRate, durationMs }: LatencyOptions,
  log: (line: string) => void,
): Promise<Section> {
  const database = await installation.migrated();
  const environment = installation.environment(database);
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:bench');
  const tenants = await createTenants(admin, {
    partitions: topics.activity.partitions,
    perPartition: 2,
    organizationId: null,
  });
  const followed = tenants[0];
  if (!followed) throw new Error('no tenant created');
  const key = { name: 'bench', scopes: ['logs:read'], owner: { tenantId: followed.id }, expiresAt: null };
  const secrets: string[] = [];
  for (let number = 0; number < keyCount; number++) secrets.push((await admin.keys.create(key)).secret);
  await using _ingest = await startProcess('ingest', environment);
  await using api = await startApi(environment);

  const top = topRate ?? (await measureTop(installation, database, tenants));
  const rows: (string | number)[][] = [];
  for (const share of shares) {
    const rate = Math.round(top * share);
    log(`latency: ${rate} records/s`);
    const following = startFollower({ port: api.port, secrets, pollIntervalMs });
    const fromMs = Date.now() + warmUpMs;
    const produced = await produce(installation, database, tenants, { rate, durationMs: warmUpMs + durationMs });
    await sleep(3_000);
    const seen = (await following.end()).filter((one) => one.producedAtMs >= fromMs);
    const latencies = seen.map((one) => one.seenAtMs - one.producedAtMs);
    if (latencies.length === 0) throw new Error('the follower received no rows');
    rows.push([
      `${Math.round(share * 100)} % of ${Math.round(top)} records/s`,
      Math.round(produced.perSecond),
      latencies.length,
      ...[0.5, 0.9, 0.99, 1].map((part) => Math.round(quantile(latencies, part))),
    ]);
  }
  return {
    title: 'Produced to visible',
    description:
      'Milliseconds from handing a record to the producer until a poller that follows resumeCursor of GET /logs, polling ' +
      `${pollIntervalMs} ms after each response, has it. One ingest process in the default configuration, ${tenants.length} tenants, one followed.`,
    columns: ['', 'produced/s', 'received', 'p50 ms', 'p90 ms', 'p99 ms', 'max ms'],
    rows,
  };
}

/** Measures how many records per second become rows under overload. */
async function measureTop(
  installation: BenchInstallation,
  database: BenchDatabase,
  tenants: readonly BenchTenant[],
): Promise<number> {
  const written = async () => {
    const [row] = await runStatement(
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
  await eventually('all produced records are written', 120_000, async () => (await written()) >= count);
  return rate;
}

/**
 * Sends at a fixed rate; each record contains its time. Several sends run concurrently, as with several collectors.
 * When all are busy, due records are skipped, so that the rate is what the producer can do and no record waits in a
 * queue.
 */
export async function produce(
  { services }: BenchInstallation,
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

/** The record id contains its creation time; the document contains it as externalEventId. */
function timedMessage(tenants: readonly BenchTenant[], number: number): Message {
  const nowMs = Date.now();
  const time = nowMs.toString(16).padStart(12, '0');
  const id = `${time.slice(0, 8)}-${time.slice(8)}-4000-8000-${number.toString(16).padStart(12, '0')}`;
  const creationTime = new Date(nowMs).toISOString().slice(0, 19);
  return createCloudEventMessage({
    id,
    source: '/collectors/bench',
    type: toEventType('o365.management-activity'),
    tenantId: tenants[number % tenants.length]?.id ?? '',
    timeMs: nowMs,
    value: Buffer.from(pattern.replace('$Id', id).replace('$CreationTime', creationTime)),
  });
}

const pattern = JSON.stringify(
  activityRecord(1, { Id: '$Id', CreationTime: '$CreationTime', padding: 'p'.repeat(700) }),
);
