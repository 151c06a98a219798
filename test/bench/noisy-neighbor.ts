import { setTimeout as sleep } from 'node:timers/promises';
import { topicName, topics } from '@tenantscope/contract';
import { writeBlanks } from '../installation/compressed-blanks.ts';
import { startProcess } from '../installation/processes.ts';
import { followApiLog, startApi } from './api-process.ts';
import { blanks, runBadProducer } from './bad-producer.ts';
import { startFollower } from './follower-process.ts';
import { type BenchInstallation, runStatement } from './installation.ts';
import { produce } from './latency.ts';
import {
  compareNeighbors,
  describeNoisyTenant,
  describeProcessors,
  noisyNeighborLoad,
  type Phase,
  type Phases,
  pollQuantile,
} from './noisy-neighbor-report.ts';
import { createSetup, type Setup } from './noisy-neighbor-setup.ts';
import { startOpenLoopClients } from './open-loop-process.ts';
import { startProcessorLoad } from './processor-load.ts';
import { watchProcessors } from './processor-shares.ts';
import type { Section } from './report.ts';

export interface NoisyNeighborOptions {
  readonly repetitions: number;
  /** Factor on the polls and records of the neighbors: a machine whose processors the quiet phase already fills has no room for a neighbor. */
  readonly neighborLoad: number;
}

const { phaseMs, neighborRate, noisyRate, invalidRate } = noisyNeighborLoad;
/** Each neighbor polls once a second, at a load of 1. */
const pollIntervalMs = 1_000;
/** The budget of a key: 600 requests per minute. */
const budgetIntervalMs = 100;
const followIntervalMs = 200;
const laneSampleMs = 500;
const dayMs = 86_400_000;

/**
 * Measures what a tenant at its full budget, with documents, packs and wide windows, and a producer of invalid records cost the other tenants:
 * their polling of GET /logs and the lag of their records, next to the same without the noisy tenant, and with a process outside of the product
 * instead that takes as much processor time as the noisy tenant added: what plain scheduling costs on this machine.
 */
export async function benchNoisyNeighbor(
  installation: BenchInstallation,
  { repetitions, neighborLoad }: NoisyNeighborOptions,
  log: (line: string) => void,
): Promise<Section[]> {
  const database = await installation.migrated();
  const environment = installation.environment(database);
  await using _ingest = await startProcess('ingest', environment);
  await using api = await startApi({ ...environment, TENANTSCOPE_LOG_LEVEL: 'debug' });
  const { serverMs, failures } = followApiLog(api);
  log('noisy-neighbor: creating rows');
  const setup = await createSetup(installation, database, api.port);
  log('noisy-neighbor: warming up');
  await runPhase(installation, setup, { isNoisy: true, neighborLoad, durationMs: 5_000, serverMs });
  const phases: Phases = { quiet: [], noisy: [], control: [] };
  for (let round = 0; round < repetitions; round++)
    for (const name of ['quiet', 'noisy', 'control'] as const) {
      const controlLoad = name === 'control' ? findAddedLoad(phases) : 0;
      const options = { isNoisy: name === 'noisy', neighborLoad, controlLoad, durationMs: phaseMs, serverMs };
      const phase = await runPhase(installation, setup, options);
      phases[name].push(phase);
      log(`noisy-neighbor, round ${round + 1}: ${name}: p99 ${Math.round(pollQuantile(phase, 0.99))} ms`);
    }
  if (failures.length > 0) log(`noisy-neighbor: ${failures.length} failed requests, the last: ${failures.at(-1)}`);
  return [compareNeighbors(phases, neighborLoad), describeProcessors(phases), describeNoisyTenant(phases.noisy)];
}

/** Processors that all processes of the benchmark took in the last noisy phase above those in the quiet phase before it. */
function findAddedLoad({ quiet, noisy }: Phases): number {
  const sum = (phase: Phase | undefined) =>
    Object.values(phase?.processors.taken ?? {}).reduce((total, taken) => total + taken, 0);
  return Math.min(1, Math.max(0, sum(noisy.at(-1)) - sum(quiet.at(-1))));
}

interface PhaseOptions {
  readonly isNoisy: boolean;
  readonly neighborLoad: number;
  /** Processors that a process outside of the product takes. */
  readonly controlLoad?: number;
  readonly durationMs: number;
  readonly serverMs: ReadonlyMap<string, number>;
}

async function runPhase(
  installation: BenchInstallation,
  setup: Setup,
  { isNoisy, neighborLoad, controlLoad = 0, durationMs, serverMs }: PhaseOptions,
): Promise<Phase> {
  const { database, port, neighbors, noisy, poisonedPartition } = setup;
  const receivers = neighbors.filter(({ partition }) => partition !== poisonedPartition);
  const followers = setup.followerSecrets.map((secrets) =>
    startFollower({ port, secrets, pollIntervalMs: followIntervalMs }),
  );
  using pollers = await startOpenLoopClients();
  using noisyClients = await startOpenLoopClients();
  using load = await startProcessorLoad();
  using codec = await writeBlanks(blanks);
  const { compression } = codec;
  const readProcessors = watchProcessors();
  const [polls, noisyResponses, laneLags] = await Promise.all([
    pollers.run({
      port,
      clients: setup.neighborSecrets.map((secret) => ({ secret, paths: ['/logs?limit=1000'] })),
      intervalMs: pollIntervalMs / neighborLoad,
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
    controlLoad > 0 ? load.run(controlLoad, durationMs) : null,
    produce(installation, database, receivers, { rate: neighborRate * neighborLoad, durationMs }),
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
  const processors = readProcessors();
  await sleep(2_000);
  const lags: number[][] = [];
  for (const follower of followers)
    lags.push((await follower.end()).map(({ producedAtMs, seenAtMs }) => seenAtMs - producedAtMs));
  const { responses, ownDelayP99Ms } = polls;
  const serverTimes = responses.flatMap(({ requestId }) => serverMs.get(requestId) ?? []);
  const noisyTenant = noisyResponses?.responses ?? [];
  return { polls: responses, serverTimes, ownDelayP99Ms, noisy: noisyTenant, lags, laneLags, processors };
}

async function sampleLaneLags({ database, noisy }: Setup, durationMs: number): Promise<readonly number[]> {
  const topic = topicName(database.topicPrefix, topics.activity);
  const lags: number[] = [];
  for (const endAt = performance.now() + durationMs; performance.now() < endAt; await sleep(laneSampleMs)) {
    const [row] = await runStatement(
      database.superuser,
      `select max(extract(epoch from clock_timestamp() - watermark.settled_at) * 1000)::float8 as lag
         from models.ingest_lane lane join models.lane_watermark watermark using (cluster_id, topic_id, partition)
        where lane.topic = '${topic}' and lane.state = 'running' and lane.partition <> ${noisy.partition}`,
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
