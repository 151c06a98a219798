import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { grantableScopes, topicName, topics } from '@tenantscope/contract';
import { connectPublisher } from '@tenantscope/publish';
import { connectAdmin } from '@tenantscope/store/admin';
import pg from 'pg';
import { writeBlanks } from '../installation/compressed-blanks.ts';
import { eventually } from '../installation/eventually.ts';
import { startProcess } from '../installation/processes.ts';
import { startApi } from './api-process.ts';
import { blanks, runBadProducer } from './bad-producer.ts';
import { startFollower } from './follower-process.ts';
import { type BenchDatabase, type BenchInstallation, runStatement } from './installation.ts';
import { insertLargeTenant } from './large-tenant.ts';
import { produce } from './latency.ts';
import {
  compareNeighbors,
  describeNoisyTenant,
  noisyNeighborLoad,
  type Phase,
  pollQuantile,
} from './noisy-neighbor-report.ts';
import { startOpenLoopClients } from './open-loop-process.ts';
import { machineProcessorTimeUs, processorTimeUs } from './processor-time.ts';
import type { Section } from './report.ts';
import { type BenchTenant, createTenants, generateMessages } from './workload.ts';

export interface NoisyNeighborOptions {
  readonly repetitions: number;
}

const { phaseMs, noisyKeys, noisyLogs, neighborRate, noisyRate, invalidRate } = noisyNeighborLoad;
/** Each neighbor polls once a second. */
const pollIntervalMs = 1_000;
/** The budget of a key: 600 requests per minute. */
const budgetIntervalMs = 100;
const recordsPerTenant = 2_000;
const followIntervalMs = 200;
const laneSampleMs = 500;
const dayMs = 86_400_000;

interface Setup {
  readonly database: BenchDatabase;
  readonly port: number;
  readonly noisy: BenchTenant;
  readonly neighbors: readonly BenchTenant[];
  /** Of the last neighbor, which polls and receives nothing: the lane of undecodable batches. */
  readonly poisonedPartition: number;
  readonly noisySecrets: readonly string[];
  readonly neighborSecrets: readonly string[];
  /** Of a neighbor whose records are on the noisy tenant's partition, and of one whose are not. */
  readonly followerSecrets: readonly (readonly string[])[];
}

/**
 * Measures what a tenant at its full budget, with documents, packs and wide windows, and a producer of invalid records cost the other tenants:
 * their polling of GET /logs and the lag of their records, next to the same without the noisy tenant.
 */
export async function benchNoisyNeighbor(
  installation: BenchInstallation,
  { repetitions }: NoisyNeighborOptions,
  log: (line: string) => void,
): Promise<Section[]> {
  const database = await installation.migrated();
  const environment = installation.environment(database);
  await using _ingest = await startProcess('ingest', environment);
  await using api = await startApi(environment);
  log('noisy-neighbor: creating rows');
  const setup = await createSetup(installation, database, api.port);
  log('noisy-neighbor: warming up');
  await runPhase(installation, setup, { isNoisy: true, durationMs: 5_000 });
  const quiet: Phase[] = [];
  const noisy: Phase[] = [];
  for (let round = 0; round < repetitions; round++)
    for (const [name, phases] of Object.entries({ quiet, noisy })) {
      const phase = await runPhase(installation, setup, { isNoisy: name === 'noisy', durationMs: phaseMs });
      phases.push(phase);
      log(`noisy-neighbor, round ${round + 1}: ${name}: p99 ${Math.round(pollQuantile(phase, 0.99))} ms`);
    }
  const failures = api
    .output()
    .split('\n')
    .filter((line) => line.includes('request failed'));
  if (failures.length > 0) log(`noisy-neighbor: ${failures.length} failed requests, the last: ${failures.at(-1)}`);
  return [compareNeighbors(quiet, noisy), describeNoisyTenant(noisy)];
}

async function createSetup(installation: BenchInstallation, database: BenchDatabase, port: number): Promise<Setup> {
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:bench');
  const { partitions } = topics.activity;
  const tenants = await createTenants(admin, { partitions, perPartition: 2, organizationId: null });
  const [noisy] = tenants;
  const sameLane = tenants.find((tenant) => tenant !== noisy && tenant.partition === noisy?.partition);
  if (!noisy || !sameLane) throw new Error('no two tenants of a partition were created');
  const otherLanes = tenants.filter(({ partition }, index) => {
    const isFirst = tenants.findIndex((other) => other.partition === partition) === index;
    return isFirst && partition !== noisy.partition;
  });
  const neighbors = [sameLane, ...otherLanes];
  const createSecrets = async (tenantId: string, count: number, scopes: readonly string[]) => {
    const key = { name: 'bench', scopes: [...scopes], owner: { tenantId }, expiresAt: null };
    const secrets: string[] = [];
    for (let number = 0; number < count; number++) secrets.push((await admin.keys.create(key)).secret);
    return secrets;
  };
  await publishRecords(installation, database, [noisy, ...neighbors]);
  const client = new pg.Client({ connectionString: database.superuser });
  await client.connect();
  const size = { logs: noisyLogs, files: noisyLogs / 10, users: noisyLogs / 100 };
  await insertLargeTenant(client, { tenantId: noisy.id, ...size });
  await client.end();
  return {
    database,
    port,
    noisy,
    neighbors,
    poisonedPartition: (neighbors.at(-1) as BenchTenant).partition,
    noisySecrets: await createSecrets(noisy.id, noisyKeys, grantableScopes),
    neighborSecrets: (await Promise.all(neighbors.map(({ id }) => createSecrets(id, 1, ['logs:read'])))).flat(),
    followerSecrets: await Promise.all(neighbors.slice(0, 2).map(({ id }) => createSecrets(id, 3, ['logs:read']))),
  };
}

async function publishRecords(
  { services }: BenchInstallation,
  database: BenchDatabase,
  tenants: readonly BenchTenant[],
): Promise<void> {
  const count = tenants.length * recordsPerTenant;
  await using publisher = await connectPublisher({ brokers: services.kafka, clientId: 'bench' });
  await publisher.publish(topicName(database.topicPrefix, topics.activity), generateMessages(tenants, count));
  await eventually('the rows are written', 120_000, async () => {
    const [row] = await runStatement(database.superuser, 'select count(*)::integer as count from models.audit_log');
    return Number(row?.count) >= count;
  });
}

async function runPhase(
  installation: BenchInstallation,
  setup: Setup,
  { isNoisy, durationMs }: { isNoisy: boolean; durationMs: number },
): Promise<Phase> {
  const { database, port, neighbors, noisy, poisonedPartition } = setup;
  const receivers = neighbors.filter(({ partition }) => partition !== poisonedPartition);
  const followers = setup.followerSecrets.map((secrets) =>
    startFollower({ port, secrets, pollIntervalMs: followIntervalMs }),
  );
  using pollers = await startOpenLoopClients();
  using noisyClients = await startOpenLoopClients();
  const compression = await writeBlanks(blanks);
  const readOtherWork = watchOtherWork();
  const [polls, noisyResponses, laneLags] = await Promise.all([
    pollers.run({
      port,
      clients: setup.neighborSecrets.map((secret) => ({ secret, paths: ['/logs?limit=1000'] })),
      intervalMs: pollIntervalMs,
      durationMs,
    }),
    isNoisy
      ? noisyClients.run({
          port,
          clients: setup.noisySecrets.map((secret) => ({ secret, paths: listNoisyPaths() })),
          intervalMs: budgetIntervalMs,
          durationMs,
        })
      : null,
    sampleLaneLags(setup, durationMs),
    produce(installation, database, receivers, { rate: neighborRate, durationMs }),
    isNoisy ? produce(installation, database, [noisy], { rate: noisyRate, durationMs }) : null,
    isNoisy
      ? runBadProducer(
          installation,
          database,
          { tenant: noisy, invalidRate, poisonedPartition, compression },
          durationMs,
        )
      : null,
  ]);
  const otherWork = readOtherWork();
  await sleep(2_000);
  const lags: number[][] = [];
  for (const follower of followers)
    lags.push((await follower.end()).map(({ producedAtMs, seenAtMs }) => seenAtMs - producedAtMs));
  const { responses, ownDelayP99Ms } = polls;
  return { polls: responses, ownDelayP99Ms, noisy: noisyResponses?.responses ?? [], lags, laneLags, otherWork };
}

/** Returns how much of the processors other processes than those of the benchmark took since then, from 0 to 1. */
function watchOtherWork(): () => number {
  const read = () => ({ otherUs: machineProcessorTimeUs() - processorTimeUs(process.pid), atMs: performance.now() });
  const before = read();
  return () => {
    const now = read();
    const share = (now.otherUs - before.otherUs) / ((now.atMs - before.atMs) * 1_000 * availableParallelism());
    return Math.max(0, share);
  };
}

async function sampleLaneLags({ database, noisy }: Setup, durationMs: number): Promise<readonly number[]> {
  const topic = topicName(database.topicPrefix, topics.activity);
  const lags: number[] = [];
  for (const endAt = performance.now() + durationMs; performance.now() < endAt; await sleep(laneSampleMs)) {
    const [row] = await runStatement(
      database.superuser,
      `select max(extract(epoch from clock_timestamp() - settled_at) * 1000)::float8 as lag from models.ingest_lane
        where topic = '${topic}' and state = 'running' and partition <> ${noisy.partition}`,
    );
    lags.push(Number(row?.lag));
  }
  return lags;
}

/** Documents, packs, and windows over the whole history that match no row. */
function listNoisyPaths(): readonly string[] {
  const from = new Date(Date.now() - 183 * dayMs).toISOString();
  return [
    '/compliance/status',
    `/evidence/agents?from=${from}`,
    `/logs?limit=1000&discoveredFrom=${from}&actorId=unknown`,
    '/copilot-readiness',
    `/logs?limit=1000&sort=discoveredAtAsc&discoveredFrom=${from}&resourceId=unknown`,
    '/reports/templates/executive-summary/render',
    '/logs?limit=1000',
    '/compliance/status',
    '/security-score',
    `/logs?limit=1000&occurredFrom=${from}&severity=critical`,
  ];
}
