import { setTimeout as sleep } from 'node:timers/promises';
import type { NetworkHost } from '../services/network-hosts.ts';
import type { PatroniCluster } from '../services/patroni-cluster.ts';
import type { Random } from './random.ts';

/** What happens to a cluster, by name. Each leaves a cluster that becomes healthy without help. */
export const faults = {
  /** Server and Patroni end without a chance to clean up. */
  async 'the primary is killed'(cluster, random) {
    const failing = await cluster.primary();
    await failing.signal('SIGKILL');
    await untilReplaced(cluster, failing);
    await sleep(random.between(0, 3_000));
    await cluster.startMember(failing);
  },
  async 'the primary is killed while its last commits are on no standby'(cluster, random) {
    const failing = await cluster.primary();
    const others = othersOf(cluster, failing).map(({ address }) => address);
    await failing.disconnect(others);
    await sleep(random.between(500, 1_000));
    await failing.signal('SIGKILL');
    await untilReplaced(cluster, failing);
    // Not before: the kernel still sends what a killed process has written to its connections.
    await failing.reconnect(others);
    await cluster.startMember(failing);
  },
  /** All its processes, longer than its lock lasts; then it continues where it was. */
  async 'the primary is suspended'(cluster, random) {
    const failing = await cluster.primary();
    await failing.signal('SIGSTOP');
    await untilReplaced(cluster, failing);
    await sleep(random.between(0, 3_000));
    await failing.signal('SIGCONT');
  },
  async 'Patroni of the primary is suspended, its server is not'(cluster, random) {
    const failing = await cluster.primary();
    await failing.signal('SIGSTOP', 'python3');
    await untilReplaced(cluster, failing);
    await sleep(random.between(0, 3_000));
    await failing.signal('SIGCONT', 'python3');
  },
  /** It reaches the clients, but neither etcd nor the standbys. */
  async 'the primary is cut off from etcd and the standbys'(cluster, random) {
    const failing = await cluster.primary();
    const others = [cluster.etcd, ...othersOf(cluster, failing)].map(({ address }) => address);
    await failing.disconnect(others);
    await untilReplaced(cluster, failing);
    await sleep(random.between(0, 3_000));
    await failing.reconnect(others);
  },
  async 'a switchover'(cluster, random) {
    const states = await cluster.read();
    const synchronous = states.filter(({ role }) => role === 'sync_standby');
    const candidates = synchronous.length > 0 ? synchronous : states.filter(({ role }) => role === 'replica');
    const { name } = random.pick(candidates);
    await cluster.switchOver(cluster.members.find((member) => member.name === name) as NetworkHost);
  },
  async 'a standby is killed, loses its data and is copied again'(cluster, random) {
    const failing = random.pick(othersOf(cluster, await cluster.primary()));
    await failing.signal('SIGKILL');
    await cluster.destroyData(failing);
    await sleep(random.between(0, 3_000));
    await cluster.startMember(failing);
  },
} satisfies Record<string, (cluster: PatroniCluster, random: Random) => Promise<void>>;

export type FaultName = keyof typeof faults;

export const faultNames = Object.keys(faults) as FaultName[];

/**
 * Standbys no longer receive what the primary commits, then it is killed; one of them is promoted as soon as its lock is removed. Without the removal
 * clocks that are behind have caught up when the lock ends.
 */
export async function loseLastCommits(cluster: PatroniCluster, standbys: readonly NetworkHost[]): Promise<void> {
  const failing = await cluster.primary();
  const addresses = standbys.map(({ address }) => address);
  await failing.disconnect(addresses);
  await sleep(3_000);
  await failing.signal('SIGKILL');
  await cluster.removeLock();
  await untilReplaced(cluster, failing);
  await failing.reconnect(addresses);
  await cluster.startMember(failing);
}

const othersOf = (cluster: PatroniCluster, member: NetworkHost) => cluster.members.filter((other) => other !== member);

async function untilReplaced(cluster: PatroniCluster, failing: NetworkHost): Promise<void> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const primary = await cluster.primary(failing).catch(() => failing);
    if (primary !== failing) return;
    if (performance.now() > deadline) throw new Error(`${failing.name} was not replaced within 120 s`);
    await sleep(200);
  }
}
