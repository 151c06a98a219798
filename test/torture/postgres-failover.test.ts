// @module-tag torture
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { nothingLost } from '../installation/record-flow.ts';
import { findNetworkProblem } from '../services/network-hosts.ts';
import { type PatroniCluster, type PatroniOptions, startPatroniCluster } from '../services/patroni-cluster.ts';
import { type FaultName, faultNames, faults, loseLastCommits } from './failover-faults.ts';
import { nothingMissed, pollDuring } from './failover-run.ts';
import { createRandom, tortureDurationMs } from './random.ts';

// Three servers with Patroni, two of them behind the first one's clock; records arrive and are polled while primaries fail.

const networkProblem = await findNetworkProblem();
if (networkProblem !== null) console.log(`failover of PostgreSQL is not tested: ${networkProblem}`);

const stack = new AsyncDisposableStack();
let cluster: PatroniCluster;
let installation: Installation;

async function startAll(options: PatroniOptions) {
  vi.stubEnv('TENANTSCOPE_ALLOW_PLAINTEXT', 'postgres');
  cluster = stack.use(await startPatroniCluster(options));
  const services = { ...inject('services'), postgres: cluster.address };
  installation = stack.use(await startInstallation(services, { TENANTSCOPE_ALLOW_PLAINTEXT: 'postgres' }));
  await installation.startIngest();
  await installation.startIngest();
}
const names = () => cluster.members.map(({ name }) => name).join();
const urls = () => cluster.members.map((member) => cluster.urlOn(installation.database.roles.api, member)).join();

afterAll(async () => {
  vi.unstubAllEnvs();
  await stack.disposeAsync();
}, 120_000);

/** All kinds of faults in random order, for as long as the test runs. */
async function failInTurn(name: string, sent: ReadonlySet<string>): Promise<void> {
  const random = createRandom(name);
  const untilMs = performance.now() + tortureDurationMs({ short: 60, long: 240 });
  for (let order: FaultName[] = []; performance.now() < untilMs; ) {
    if (order.length === 0) order = random.shuffle(faultNames);
    const fault = order.pop() as FaultName;
    const [startedMs, before] = [performance.now(), sent.size];
    await faults[fault](cluster, random);
    await cluster.untilHealthy();
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    console.log(`${fault}: healthy after ${seconds} s, ${sent.size - before} records sent meanwhile`);
    await sleep(random.between(2_000, 6_000));
  }
}

const startApis = async (variables: Record<string, string>) =>
  Promise.all([installation.startApi(variables), installation.startApi(variables)]);

describe.skipIf(networkProblem !== null)('with a synchronous standby', () => {
  beforeAll(() => startAll({ isSynchronous: true, clocks: { 'pg-2': '-2s' } }), 600_000);

  test('nothing is lost or repeated and no served window changes while primaries fail', async () => {
    const apis = await startApis({ TENANTSCOPE_STANDBY_DATABASE_URLS: urls(), TENANTSCOPE_STANDBY_NAMES: names() });
    const run = await pollDuring(
      installation,
      apis.map(({ baseUrl }) => baseUrl),
      (sent) => failInTurn('failovers to a synchronous standby', sent),
    );
    expect(run.flow).toEqual(nothingLost);
    for (const judged of run.judged) expect(judged).toEqual(nothingMissed);
  }, 3_600_000);

  test('a standby that is not bounded by the promoted one has served rows that are lost', async () => {
    await cluster.untilHealthy();
    const { synchronous, asynchronous } = await cluster.standbys();
    const read = cluster.urlOn(installation.database.roles.api, asynchronous);
    const capped = { TENANTSCOPE_STANDBY_DATABASE_URLS: urls(), TENANTSCOPE_STANDBY_NAMES: names() };
    const [unbounded, bounded] = await Promise.all([
      installation.startApi({ TENANTSCOPE_POSTGRES_READ_URLS: read }),
      installation.startApi({ TENANTSCOPE_POSTGRES_READ_URLS: read, ...capped }),
    ]);
    const run = await pollDuring(installation, [unbounded.baseUrl, bounded.baseUrl], async () => {
      await sleep(5_000);
      await loseLastCommits(cluster, [synchronous]);
      await cluster.untilHealthy();
    });
    expect(run.flow).toEqual(nothingLost);
    expect(run.judged[0]).not.toEqual(nothingMissed);
    expect(run.judged[1]).toEqual(nothingMissed);
  }, 600_000);
});
