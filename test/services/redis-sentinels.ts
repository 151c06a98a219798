import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort, findProgram, type RunningService, spawnGuarded, startServices } from '@tenantscope/local';
import { Redis } from 'ioredis';
import { eventually } from '../installation/eventually.ts';

/** Two servers of Redis, one of which replicates the other, and three sentinels that promote it. */
export interface SentinelGroup extends AsyncDisposable {
  /** Variables of a process that uses it. */
  readonly variables: Readonly<Record<string, string>>;
  readonly servers: readonly RunningService[];
  /** In the order of the variables. */
  readonly sentinels: readonly Sentinel[];
  /** The server that a majority of the sentinels names. */
  primary(): Promise<RunningService>;
}

export interface Sentinel {
  readonly url: URL;
  /** Suspends it until `resume`: its connections stay open and do not respond. */
  pause(): void;
  resume(): void;
}

const name = 'tenantscope';
const sentinelCount = 3;

export async function startSentinelGroup(directory: string): Promise<SentinelGroup> {
  await using stack = new AsyncDisposableStack();
  const servers = await Promise.all(
    ['one', 'two'].map(async (each) => {
      const { redisService, ...services } = await startServices({ directory: join(directory, each), only: ['redis'] });
      stack.defer(() => services[Symbol.asyncDispose]());
      return redisService;
    }),
  );
  const [first, second] = servers.map(({ address }) => new URL(address));
  if (!first || !second) throw new Error('two servers are needed');
  await call(second, (client) => client.replicaof(first.hostname, first.port));
  const sentinels: Sentinel[] = [];
  for (let number = 0; number < sentinelCount; number++) {
    const port = await findFreePort();
    const child = await startSentinel(join(directory, `sentinel-${number}`), port, first);
    stack.defer(() => void child.kill('SIGKILL'));
    const url = new URL(`redis://127.0.0.1:${port}`);
    sentinels.push({ url, pause: () => child.kill('SIGSTOP'), resume: () => child.kill('SIGCONT') });
  }
  await eventually('the sentinels know each other and the replica', 60_000, async () => {
    const groups = await Promise.all(sentinels.map(({ url }) => call(url, readGroup)));
    return groups.every(({ replicas, others }) => replicas === 1 && others === sentinelCount - 1);
  });
  const owned = stack.move();
  return {
    servers,
    sentinels,
    variables: {
      TENANTSCOPE_REDIS_URL: `redis://${name}`,
      TENANTSCOPE_REDIS_SENTINELS: sentinels.map(({ url }) => url.host).join(','),
    },
    async primary() {
      const named = await Promise.all(
        sentinels.map(({ url }) => call(url, (client) => client.call('SENTINEL', 'get-master-addr-by-name', name))),
      );
      const ports = named.map((address) => (address as string[])[1]).toSorted();
      const found = servers.find(({ address }) => new URL(address).port === ports[1]);
      if (found === undefined) throw new Error(`no server has the port ${ports[1]}`);
      return found;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function startSentinel(directory: string, port: number, primary: URL) {
  const program = findProgram('redis-server') ?? findProgram('redis-check-rdb');
  if (program === null) throw new Error('redis-server not found');
  const file = join(directory, 'sentinel.conf');
  const settings = [
    `port ${port}`,
    'bind 127.0.0.1',
    `sentinel monitor ${name} ${primary.hostname} ${primary.port} 2`,
    `sentinel down-after-milliseconds ${name} 1000`,
    `sentinel failover-timeout ${name} 5000`,
  ];
  await mkdir(directory, { recursive: true });
  await writeFile(file, `${settings.join('\n')}\n`);
  const options = { cwd: directory, argv0: 'redis-server', stdio: 'ignore', stopSignal: 'SIGTERM' } as const;
  return spawnGuarded([program, file, '--sentinel'], options);
}

async function readGroup(client: Redis) {
  const fields = Object.fromEntries(
    chunk((await client.call('SENTINEL', 'master', name)) as string[]).map(([field, value]) => [field, value]),
  );
  return { replicas: Number(fields['num-slaves']), others: Number(fields['num-other-sentinels']) };
}

const chunk = (list: readonly string[]): string[][] =>
  Array.from({ length: list.length / 2 }, (_, index) => list.slice(2 * index, 2 * index + 2));

/** One command on a connection of its own. */
async function call<Result>(url: URL, run: (client: Redis) => Promise<Result>): Promise<Result> {
  const client = new Redis<'legacy'>(url.href, {
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    commandTimeout: 5_000,
  });
  client.on('error', () => {});
  try {
    return await run(client as unknown as Redis);
  } finally {
    client.disconnect();
  }
}
