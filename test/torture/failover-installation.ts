import { setTimeout as sleep } from 'node:timers/promises';
import { inject, vi } from 'vitest';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { findNetworkProblem } from '../services/network-hosts.ts';
import { type PatroniCluster, type PatroniOptions, startPatroniCluster } from '../services/patroni-cluster.ts';
import { type FaultName, faultNames, faults } from './failover-faults.ts';
import { createRandom, tortureDurationMs } from './random.ts';

/** The product on a cluster whose primaries fail. */
export interface FailoverInstallation extends AsyncDisposable {
  readonly cluster: PatroniCluster;
  readonly installation: Installation;
  /** TENANTSCOPE_STANDBY_DATABASE_URLS and, of a cluster with a synchronous standby, TENANTSCOPE_STANDBY_NAMES. */
  readonly protection: Readonly<Record<string, string>>;
  /** Two instances; returns their base URLs. */
  startApis(variables: Readonly<Record<string, string>>): Promise<string[]>;
  /** All kinds of faults in random order, for as long as the test runs. */
  failInTurn(name: string, sent: ReadonlySet<string>): Promise<void>;
}

/** Whether this machine can run it. Logs why not. */
export async function canFailOver(): Promise<boolean> {
  const problem = await findNetworkProblem();
  if (problem !== null) console.log(`failover of PostgreSQL is not tested: ${problem}`);
  return problem === null;
}

export async function startFailoverInstallation(options: PatroniOptions): Promise<FailoverInstallation> {
  await using stack = new AsyncDisposableStack();
  vi.stubEnv('TENANTSCOPE_ALLOW_PLAINTEXT', 'postgres');
  stack.defer(() => void vi.unstubAllEnvs());
  const cluster = stack.use(await startPatroniCluster(options));
  const services = { ...inject('services'), postgres: cluster.address };
  const installation = stack.use(await startInstallation(services, { TENANTSCOPE_ALLOW_PLAINTEXT: 'postgres' }));
  await installation.startIngest();
  await installation.startIngest();
  const { api } = installation.database.roles;
  const owned = stack.move();
  return {
    cluster,
    installation,
    protection: {
      TENANTSCOPE_STANDBY_DATABASE_URLS: cluster.members.map((member) => cluster.urlOn(api, member)).join(),
      ...(options.isSynchronous && { TENANTSCOPE_STANDBY_NAMES: cluster.members.map(({ name }) => name).join() }),
    },
    async startApis(variables) {
      const apis = await Promise.all([installation.startApi(variables), installation.startApi(variables)]);
      return apis.map(({ baseUrl }) => baseUrl);
    },
    async failInTurn(name, sent) {
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
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
