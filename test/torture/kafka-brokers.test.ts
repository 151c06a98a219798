// @module-tag torture
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectPublisher } from '@tenantscope/publish';
import { ConfigResourceTypes } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { type Broker, connectBroker } from '../installation/broker.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import type { ProductProcess } from '../installation/processes.ts';
import { type KafkaCluster, startKafkaCluster } from '../services/kafka-cluster.ts';
import { createHttpPoller } from './http-poller.ts';
import { comparePolled } from './pollers.ts';
import { createRandom, isLong, tortureDurationMs } from './random.ts';

// A cluster of three brokers whose members are restarted, killed and suspended, and whose partitions move, below two ingest processes.

describe.runIf(isLong)('three brokers', () => {
  const stack = new AsyncDisposableStack();
  let cluster: KafkaCluster;
  let installation: Installation;
  let inspector: DatabaseInspector;
  let broker: Broker;
  let ingests: readonly ProductProcess[];

  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tenantscope-brokers-'));
    stack.defer(() => rm(directory, { recursive: true, force: true }));
    cluster = stack.use(await startKafkaCluster(directory));
    installation = stack.use(await startInstallation({ ...inject('services'), kafka: cluster.addresses }));
    inspector = stack.use(await openDatabaseInspector(installation.database.superuser));
    broker = stack.use(await connectBroker(cluster.addresses));
    ingests = await startIngests();
  }, 600_000);
  afterAll(() => stack.disposeAsync(), 120_000);

  const startIngests = () => Promise.all([installation.startIngest(), installation.startIngest()]);

  const readPartitions = async () => {
    const { topics } = await broker.admin.fetchTopicMetadata({ topics: [installation.activityTopic] });
    return topics[0]?.partitions ?? [];
  };
  const waitForCopies = () =>
    eventually('every partition has its copies in sync', 120_000, async () => {
      const partitions = await readPartitions().catch(() => []);
      return partitions.length > 0 && partitions.every(({ isr, replicas }) => isr.length === replicas.length);
    });

  test('every acknowledged record is stored once while brokers restart, die, hang, and partitions move', async () => {
    const { id: tenantId, secret } = await installation.createTenant();
    const { baseUrl } = await installation.startApi();
    const owner = { tenantId };
    const keys = await Promise.all(
      Array.from({ length: 11 }, () =>
        installation.admin.keys.create({ name: 'more', scopes: ['logs:read'], owner, expiresAt: null }),
      ),
    );
    expect((await readPartitions()).every(({ replicas }) => replicas.length === 3)).toBe(true);
    const random = createRandom('three brokers');
    const poller = createHttpPoller(baseUrl, [secret, ...keys.map((key) => key.secret)]);
    const polling = poller.poll();
    polling.catch(() => {});
    let running = true;
    const writing = sendUntil(() => !running, tenantId);
    const faults = await spoilBrokers(random);
    running = false;
    const { acknowledged, refused } = await writing;
    let missing = -1;
    await eventually('every acknowledged record is stored', 180_000, async () => {
      const stored = await readStored(tenantId);
      missing = acknowledged.filter((id) => !stored.has(id)).length;
      return missing === 0;
    }).catch((error: Error) => {
      throw new Error(`${error.message}: ${missing} of ${acknowledged.length} are missing`);
    });
    poller.end();
    const polled = await polling;
    const { rows } = await inspector.client.query<{ id: string; externalEventId: string; atMs: number }>(
      `select id, external_event_id as "externalEventId", (extract(epoch from discovered_at) * 1000)::float8 as "atMs"
         from models.audit_log where tenant_id = $1 order by discovered_at, id`,
      [tenantId],
    );
    const judged = comparePolled(polled, rows);
    console.log('three brokers:', JSON.stringify({ ...judged, faults, rows: rows.length, refused }));
    expect(new Set(rows.map(({ externalEventId }) => externalEventId)).size).toBe(rows.length);
    expect(judged).toEqual({ missedInWindows: 0, missedByCursor: 0, readTwiceByCursor: 0, changedWindows: 0 });
    expect(acknowledged.length).toBeGreaterThan(1_000);
  }, 1_800_000);

  test.each([
    { unclean: false, what: 'no acknowledged record is lost' },
    { unclean: true, what: 'acknowledged records are lost' },
  ])(
    'when the only copy in sync dies, with unclean leader election $unclean, $what',
    async ({ unclean }) => {
      const { id: tenantId } = await installation.createTenant();
      const [first, second] = cluster.brokers;
      if (!first || !second) throw new Error('two brokers are needed');
      for (const ingest of ingests) {
        ingest.kill('SIGKILL');
        await ingest.gone;
      }
      const partitions = await readPartitions();
      await reassign(partitions.map(({ partitionId: partition }) => ({ partition, replicas: [1, 2] })));
      await waitForCopies();
      await configure({ 'unclean.leader.election.enable': String(unclean), 'min.insync.replicas': '1' });
      const migrated = installation.cli('migrate');
      if (unclean) await expect(migrated).rejects.toThrow('unclean.leader.election.enable is true');
      else await migrated;

      second.pause();
      await waitForLeader(1);
      const { acknowledged } = await sendBatches(20, tenantId);
      await first.kill();
      second.resume();
      if (unclean) await waitForLeader(2);
      // Until the first broker is there again nothing is elected: longer than a broker takes to be back.
      else await sleep(20_000);
      await first.restart();
      await waitForCopies();
      await configure({ 'unclean.leader.election.enable': 'false', 'min.insync.replicas': '2' });
      ingests = await startIngests();

      const later = await sendBatches(10, tenantId, 1_000_000);
      await eventually('records that were sent later are stored', 180_000, async () => {
        const stored = await readStored(tenantId);
        return later.acknowledged.every((id) => stored.has(id));
      });
      const stored = await readStored(tenantId);
      const lost = acknowledged.filter((id) => !stored.has(id)).length;
      console.log('the only copy in sync dies:', JSON.stringify({ unclean, acknowledged: acknowledged.length, lost }));
      if (unclean) expect(lost).toBeGreaterThan(0);
      else expect(lost).toBe(0);
    },
    900_000,
  );

  const configure = (settings: Readonly<Record<string, string>>) =>
    broker.admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: ConfigResourceTypes.TOPIC,
          name: installation.activityTopic,
          configEntries: Object.entries(settings).map(([name, value]) => ({ name, value })),
        },
      ],
    });

  const waitForLeader = (nodeId: number) =>
    eventually(`broker ${nodeId} leads every partition alone`, 120_000, async () => {
      const partitions = await readPartitions().catch(() => []);
      return partitions.length > 0 && partitions.every(({ leader, isr }) => leader === nodeId && isr.length === 1);
    });

  /** Sends so many batches. @param from number of the first record */
  const sendBatches = (count: number, tenantId: string, from = 0) => {
    let left = count;
    return sendUntil(() => left-- === 0, tenantId, from);
  };

  const readStored = async (tenantId: string): Promise<ReadonlySet<string>> => {
    const { rows } = await inspector.client.query<{ id: string }>(
      'select external_event_id as id from models.audit_log where tenant_id = $1',
      [tenantId],
    );
    return new Set(rows.map(({ id }) => id));
  };

  /** A request that fails may have been stored: it is sent again, as a collector does. */
  async function sendUntil(hasEnded: () => boolean, tenantId: string, from = 0) {
    await using publisher = await connectPublisher({ brokers: cluster.addresses, clientId: 'writer' });
    const acknowledged: string[] = [];
    let refused = 0;
    for (let number = from; !hasEnded(); number += 10) {
      const records = Array.from({ length: 10 }, (_, index) => activityRecord(number + index));
      const messages = records.map((record) => ({ ...activityMessage(tenantId, record), key: null }));
      for (let isSent = false; !isSent; )
        isSent = await publisher.send(installation.activityTopic, messages).then(
          () => true,
          async () => {
            refused += 1;
            await sleep(200);
            return false;
          },
        );
      acknowledged.push(...records.map(({ Id }) => String(Id)));
      await sleep(50);
    }
    return { acknowledged, refused };
  }

  /** One fault after another; the next one waits until all copies are in sync. Returns how often each happened. */
  async function spoilBrokers(random: ReturnType<typeof createRandom>) {
    const counts = { restart: 0, kill: 0, suspend: 0, move: 0 };
    const endsAt = performance.now() + tortureDurationMs({ short: 0, long: 240 });
    const isDone = () => performance.now() > endsAt && Object.values(counts).every((count) => count > 0);
    const names = Object.keys(counts) as (keyof typeof counts)[];
    for (let turn = 0; !isDone(); turn++) {
      const fault = turn < names.length ? (names[turn] as keyof typeof counts) : random.pick(names);
      const member = random.pick(cluster.brokers);
      if (fault === 'restart') for (const each of cluster.brokers) await each.restart().then(waitForCopies);
      else if (fault === 'kill') {
        await member.kill();
        await sleep(random.between(1_000, 10_000));
        await member.restart();
      } else if (fault === 'suspend') {
        member.pause();
        await sleep(random.between(1_000, 10_000));
        member.resume();
      } else await movePartitions(random);
      counts[fault] += 1;
      await waitForCopies();
      await sleep(random.between(500, 3_000));
    }
    return counts;
  }

  const reassign = (partitionAssignment: { partition: number; replicas: number[] }[]) =>
    broker.admin.alterPartitionReassignments({ topics: [{ topic: installation.activityTopic, partitionAssignment }] });

  /** Gives every partition other copies in another order; the first is its preferred leader. */
  const movePartitions = async (random: ReturnType<typeof createRandom>) => {
    const partitions = await readPartitions();
    const moves = partitions.map(({ partitionId: partition }) => ({
      partition,
      replicas: random.shuffle([1, 2, 3]).slice(0, 2),
    }));
    await reassign(moves);
    await waitForCopies();
    await reassign(
      partitions.map(({ partitionId: partition }) => ({ partition, replicas: random.shuffle([1, 2, 3]) })),
    );
  };
});
