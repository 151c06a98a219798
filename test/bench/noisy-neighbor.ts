import { setTimeout as sleep } from 'node:timers/promises';
import { grantableScopes, topicName, topics } from '@tenantscope/contract';
import { toEventType } from '@tenantscope/intake';
import { connectPublisher, createCloudEventMessage } from '@tenantscope/publish';
import { connectAdmin } from '@tenantscope/store/admin';
import pg from 'pg';
import { eventually } from '../installation/eventually.ts';
import { startProcess } from '../installation/processes.ts';
import { startApi } from './api-process.ts';
import { startFollower } from './follower-process.ts';
import { type BenchDatabase, type BenchInstallation, runStatement } from './installation.ts';
import { insertLargeTenant } from './large-tenant.ts';
import { produce } from './latency.ts';
import type { OpenLoopResponse } from './open-loop.ts';
import { runOpenLoop } from './open-loop-process.ts';
import type { Section } from './report.ts';
import { median, quantile } from './statistics.ts';
import { type BenchTenant, createTenants, generateMessages } from './workload.ts';

export interface NoisyNeighborOptions {
  readonly repetitions: number;
}

const phaseMs = 30_000;
/** Each neighbor polls once a second. */
const pollIntervalMs = 1_000;
/** The budget of a key: 600 requests per minute. */
const budgetIntervalMs = 100;
const noisyKeys = 3;
const noisyLogs = 200_000;
const recordsPerTenant = 2_000;
/** Of the neighbors together, all the time. */
const neighborRate = 50;
/** Valid records of the noisy tenant, so that its facts change between two documents. */
const noisyRate = 10;
const invalidRate = 300;
const followIntervalMs = 200;
const dayMs = 86_400_000;

interface Setup {
  readonly database: BenchDatabase;
  readonly port: number;
  readonly noisy: BenchTenant;
  readonly neighbors: readonly BenchTenant[];
  readonly noisySecrets: readonly string[];
  readonly neighborSecrets: readonly string[];
  /** Of a neighbor whose records are on the noisy tenant's partition, and of one whose are not. */
  readonly followerSecrets: readonly (readonly string[])[];
}

interface Phase {
  readonly polls: readonly OpenLoopResponse[];
  readonly noisy: readonly OpenLoopResponse[];
  /** Produced to visible, ms: on the noisy tenant's lane, and on another one. */
  readonly lags: readonly (readonly number[])[];
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
  const { database, port, neighbors, noisy } = setup;
  const followers = setup.followerSecrets.map((secrets) =>
    startFollower({ port, secrets, pollIntervalMs: followIntervalMs }),
  );
  const [polls, noisyResponses] = await Promise.all([
    runOpenLoop({
      port,
      clients: setup.neighborSecrets.map((secret) => ({ secret, paths: ['/logs?limit=1000'] })),
      intervalMs: pollIntervalMs,
      durationMs,
    }),
    isNoisy
      ? runOpenLoop({
          port,
          clients: setup.noisySecrets.map((secret) => ({ secret, paths: listNoisyPaths() })),
          intervalMs: budgetIntervalMs,
          durationMs,
        })
      : [],
    produce(installation, database, neighbors, { rate: neighborRate, durationMs }),
    isNoisy ? produce(installation, database, [noisy], { rate: noisyRate, durationMs }) : null,
    isNoisy ? produceInvalid(installation, database, noisy, durationMs) : null,
  ]);
  await sleep(2_000);
  const lags: number[][] = [];
  for (const follower of followers)
    lags.push((await follower.end()).map(({ producedAtMs, seenAtMs }) => seenAtMs - producedAtMs));
  return { polls, noisy: noisyResponses, lags };
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

async function produceInvalid(
  { services }: BenchInstallation,
  database: BenchDatabase,
  { id }: BenchTenant,
  durationMs: number,
): Promise<void> {
  await using publisher = await connectPublisher({ brokers: services.kafka, clientId: 'bench' });
  const topic = topicName(database.topicPrefix, topics.activity);
  const sendsPerSecond = 10;
  for (let number = 0; number < (durationMs / 1_000) * sendsPerSecond; number++) {
    const messages = Array.from({ length: invalidRate / sendsPerSecond }, (_, index) =>
      createCloudEventMessage({
        id: `${number}-${index}`,
        source: '/collectors/bench',
        type: toEventType('o365.management-activity'),
        tenantId: id,
        timeMs: Date.now(),
        value: Buffer.from(`{"Id": "${number}-${index}", "Operation": ${'['.repeat(1 + (index % 5))}`),
      }),
    );
    await Promise.all([publisher.send(topic, messages), sleep(1_000 / sendsPerSecond)]);
  }
}

const pollQuantile = ({ polls }: Phase, share: number): number =>
  quantile(
    polls.map(({ ms }) => ms),
    share,
  );

function compareNeighbors(quiet: readonly Phase[], noisy: readonly Phase[]): Section {
  const row = (name: string, phases: readonly Phase[]) => {
    const times = (share: number) => Math.round(median(phases.map((phase) => pollQuantile(phase, share))));
    const lag = (lane: number) => Math.round(Math.max(...phases.flatMap(({ lags }) => lags[lane] ?? [])));
    const ratios = phases.map((phase, round) => pollQuantile(phase, 0.99) / pollQuantile(quiet[round] as Phase, 0.99));
    const polls = phases.flatMap((phase) => phase.polls);
    return [
      name,
      polls.length,
      polls.filter(({ status }) => status !== 200).length,
      times(0.5),
      times(0.9),
      times(0.99),
      Math.round(median(ratios) * 100) / 100,
      lag(0),
      lag(1),
    ];
  };
  return {
    title: 'Noisy neighbor',
    description:
      `12 tenants poll GET /logs?limit=1000 once a second each and receive ${neighborRate} records a second together, one api and one ingest process. ` +
      `In the noisy phase another tenant sends ${noisyKeys} × 600 requests a minute (documents, evidence packs, windows of half a year over ${noisyLogs} rows), ` +
      `receives ${noisyRate} records a second, and a producer sends ${invalidRate} invalid records a second in its name. ` +
      `Phases of ${phaseMs / 1_000} s alternate; times are the median of the phases, the ratio is to the quiet phase of the same round. ` +
      'Lag is produced to visible, the maximum: on the lane that the noisy tenant uses too, and on another one.',
    columns: [
      '',
      'pages',
      'not 200',
      'p50 ms',
      'p90 ms',
      'p99 ms',
      'p99 to quiet',
      'lag, same lane ms',
      'lag, other lane ms',
    ],
    rows: [row('quiet', quiet), row('noisy', noisy)],
  };
}

function describeNoisyTenant(phases: readonly Phase[]): Section {
  const responses = phases.flatMap(({ noisy }) => noisy);
  const byPath = Map.groupBy(responses, ({ path }) => path.split('?')[0] ?? path);
  return {
    title: 'Noisy neighbor: the responses to the noisy tenant',
    description: 'Responses by status, and the time of those with 200.',
    columns: ['', '200', '429', '503', '504', 'p50 ms', 'p99 ms'],
    rows: [...byPath].map(([path, all]) => {
      const count = (status: number) => all.filter((one) => one.status === status).length;
      const times = all.filter(({ status }) => status === 200).map(({ ms }) => ms);
      const time = (share: number) => (times.length === 0 ? null : Math.round(quantile(times, share)));
      return [path, count(200), count(429), count(503), count(504), time(0.5), time(0.99)];
    }),
  };
}
