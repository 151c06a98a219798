import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { topics } from '@tenantscope/contract';
import { connectPublisher } from '@tenantscope/publish';
import pg from 'pg';
import { inject } from 'vitest';
import { type CellInstallation, createCellInstallation } from '../cells/cell-installation.ts';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { eventually } from '../installation/eventually.ts';
import { type ProductProcess, productBundle } from '../installation/processes.ts';
import { chooseStartMs, createHttpPoller, createLogsRequest, rotateSecrets } from './http-poller.ts';
import { compareStyles, createStylePollers } from './poller-styles.ts';
import { comparePolled, sleep } from './pollers.ts';
import { describeMissing } from './tenant-move-missing.ts';

export const cellNames = ['default', 'eu1'] as const;
export type CellName = (typeof cellNames)[number];

/** Requests of a key are limited to 600 a minute. */
const keysPerPoller = 12;
const sendIntervalMs = 50;
const sampleIntervalMs = 50;

export interface Producer {
  readonly sent: ReadonlySet<string>;
  /** Records a second that the brokers have acknowledged since its start. */
  rate(): number;
  /** The topics of another cell from now on. */
  sendTo(cell: CellName): void;
  stop(): Promise<void>;
}

interface Flow {
  readonly perSecond: number;
  /** Records that are sent first, as fast as the brokers acknowledge them. */
  readonly first?: number;
}

/** Sends records of a tenant at a constant rate, or as fast as the brokers acknowledge them. */
export async function startProducer(
  installation: CellInstallation,
  tenantId: string,
  { perSecond, first = 0 }: Flow,
): Promise<Producer> {
  const publisher = await connectPublisher({ brokers: inject('services').kafka, clientId: 'test' });
  const sent = new Set<string>();
  let cell: CellName = 'default';
  let number = 0;
  const send = async (count: number) => {
    const records = Array.from({ length: Math.min(count, 500) }, () => activityRecord(number++ % 1_000_000));
    if (records.length === 0) return;
    await publisher.publish(
      `${installation.cells.get(cell)?.topicPrefix}.${topics.activity.suffix}`,
      records.map((record) => activityMessage(tenantId, record)),
    );
    for (const { Id } of records) sent.add(String(Id));
  };
  while (number < first) await send(first - number);
  const startedAtMs = performance.now();
  let stoppedAtMs: number | null = null;
  const run = async () => {
    for (; stoppedAtMs === null; await sleep(sendIntervalMs))
      await send(Math.floor(((performance.now() - startedAtMs) * perSecond) / 1_000) - (number - first));
    await publisher[Symbol.asyncDispose]();
  };
  const running = run();
  return {
    sent,
    rate: () => ((sent.size - first) / ((stoppedAtMs ?? performance.now()) - startedAtMs)) * 1_000,
    sendTo: (next) => {
      cell = next;
    },
    async stop() {
      stoppedAtMs = performance.now();
      await running;
    },
  };
}

/** What is complete for a tenant, read again and again. */
export interface CompletenessSamples {
  /** The longest time in which it did not grow, in ms. */
  longestPauseMs(): number;
  reset(): void;
  /** How often it went back. */
  readonly wentBack: () => number;
  stop(): Promise<void>;
}

function sampleCompleteness(baseUrl: string, secrets: readonly string[]): CompletenessSamples {
  const get = createLogsRequest(baseUrl, rotateSecrets(secrets));
  let [newest, wentBack, longestMs, grownAtMs, isStopped] = ['', 0, 0, performance.now(), false];
  const run = async () => {
    for (; !isStopped; await sleep(sampleIntervalMs)) {
      const { pagination } = JSON.parse(await get({ limit: '1' })) as { pagination: { completeThrough: string } };
      const nowMs = performance.now();
      longestMs = Math.max(longestMs, nowMs - grownAtMs);
      if (pagination.completeThrough < newest) wentBack += 1;
      if (pagination.completeThrough <= newest) continue;
      newest = pagination.completeThrough;
      grownAtMs = nowMs;
    }
  };
  const running = run();
  running.catch(() => {});
  return {
    longestPauseMs: () => longestMs,
    reset() {
      [longestMs, grownAtMs] = [0, performance.now()];
    },
    wentBack: () => wentBack,
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

export interface MoveScene extends AsyncDisposable {
  readonly tenantId: string;
  readonly producer: Producer;
  readonly samples: CompletenessSamples;
  /** A command line of its own process. */
  startMove(cell: CellName): ChildProcess & { readonly lines: string[]; readonly ended: Promise<number | string> };
  restartIngest(cell: CellName): Promise<void>;
  query<Row extends pg.QueryResultRow>(
    place: CellName | 'control',
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
  readCell(): Promise<CellName>;
  /** Stops everything, and compares what was sent, stored and served of both tenants. */
  judge(): Promise<Judgment>;
}

export interface Judgment {
  readonly rows: number;
  readonly lost: number;
  readonly twice: number;
  readonly wentBack: number;
  /** Of the tenant that moves, and of another one. */
  readonly pollers: readonly (ReturnType<typeof comparePolled> & ReturnType<typeof compareStyles>)[];
}

/** Two cells, a tenant with a flow of records that is to move, and another one with a quarter of it that stays, both polled in six styles. */
export async function createMoveScene({ perSecond, first = 0 }: Flow): Promise<MoveScene> {
  await using stack = new AsyncDisposableStack();
  const { kafka, redis, postgres } = inject('services');
  const installation = stack.use(
    await createCellInstallation({ kafka, redis, postgres: { default: postgres, eu1: postgres } }),
  );
  const { cli, environment, baseUrl } = installation;
  const { id: organizationId } = await cli<{ id: string }>('org create --name Larkspur');
  const create = async (name: string) =>
    (await cli<{ id: string }>(`tenant create --name ${name} --org ${organizationId}`)).id;
  const [tenantId, otherId] = [await create('moved'), await create('other')];
  const ingests = new Map<CellName, ProductProcess>();
  for (const cell of cellNames) ingests.set(cell, await installation.start('ingest', cell));
  stack.defer(async () => {
    for (const process of ingests.values()) await process[Symbol.asyncDispose]();
  });
  stack.use(await installation.start('api'));
  // Before the first record: pollers read what was stored 10 s before they began.
  const secrets = new Map<string, string[]>();
  for (const id of [tenantId, otherId]) secrets.set(id, await createKeys(installation, id, 2 * keysPerPoller));
  const producer = await startProducer(installation, tenantId, { perSecond, first });
  const others = await startProducer(installation, otherId, { perSecond: perSecond / 4 });
  const query: MoveScene['query'] = (place, text, values = []) =>
    queryDatabase(place === 'control' ? installation.control : installation.cells.get(place)?.database, text, values);
  const readStored = (id: string, cell: CellName) =>
    query<{ id: string; event: string; atMs: number }>(
      cell,
      `select id, external_event_id as event, (extract(epoch from discovered_at) * 1000)::float8 as "atMs"
         from models.audit_log where tenant_id = $1 order by discovered_at, id`,
      [id],
    );
  const storedFirst = first + Math.min(2_000, perSecond);
  await eventually('rows are stored', 60_000 + first, async () => {
    const text = 'select count(*)::integer as rows from models.audit_log where tenant_id = $1';
    return ((await query<{ rows: number }>('default', text, [tenantId]))[0]?.rows ?? 0) >= storedFirst;
  });
  const pollers = startPollers(baseUrl, secrets);
  const samples = sampleCompleteness(baseUrl, await createKeys(installation, tenantId, 4));
  const readCell = async () => {
    const text = 'select cell from control.tenant where id = $1';
    return (await query<{ cell: CellName }>('control', text, [tenantId]))[0]?.cell as CellName;
  };
  const program = (await productBundle()).program('cli');
  const all = stack.move();
  return {
    tenantId,
    producer,
    samples,
    query,
    readCell,
    startMove(cell) {
      const child = spawn(
        process.execPath,
        [program, ...`tenant move --tenant ${tenantId} --cell ${cell} --yes`.split(' ')],
        { env: { PATH: process.env.PATH, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] },
      );
      const lines: string[] = [];
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (bytes: Buffer) => void lines.push(...bytes.toString().trimEnd().split('\n')));
      const ended = once(child, 'exit').then(([code, signal]) => (signal ?? code) as number | string);
      return Object.assign(child, { lines, ended });
    },
    async restartIngest(cell) {
      const running = ingests.get(cell);
      running?.kill('SIGKILL');
      await running?.gone;
      ingests.set(cell, await installation.start('ingest', cell));
    },
    async judge() {
      await producer.stop();
      await others.stop();
      const cell = await readCell();
      await forwardAll(producer.sent, {
        forward: () => cli(`dead-letters replay --tenant ${tenantId} --reason OTHER_CELL`),
        readStored: () => readStored(tenantId, cell),
      });
      const isStored = async () => (await readStored(otherId, 'default')).length >= others.sent.size;
      await eventually('the records of the other tenant are stored', 60_000, isStored);
      const read = await pollers.end();
      await samples.stop();
      const stored = [await readStored(tenantId, cell), await readStored(otherId, 'default')] as const;
      const events = new Set(stored[0].map(({ event }) => event));
      const missing = [...producer.sent].filter((event) => !events.has(event));
      if (missing.length > 0) console.log(await describeMissing(query, cellNames, tenantId, missing));
      return {
        rows: stored[0].length,
        lost: missing.length,
        twice: stored[0].length - events.size,
        wentBack: samples.wentBack(),
        pollers: read.map(({ polled, styles }, index) => {
          const of = (stored[index] ?? []).filter(({ atMs }) => atMs >= pollers.startMs);
          return { ...comparePolled(polled, of), ...compareStyles(styles, of) };
        }),
      };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function queryDatabase<Row extends pg.QueryResultRow>(
  database: { readonly superuser: string } | undefined,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const client = new pg.Client(database?.superuser);
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

async function createKeys({ cli }: CellInstallation, tenantId: string, count: number): Promise<string[]> {
  const secrets: string[] = [];
  while (secrets.length < count)
    secrets.push((await cli<{ secret: string }>(`key create --name p --scopes logs:read --tenant ${tenantId}`)).secret);
  return secrets;
}

/** Six styles for each tenant. */
function startPollers(baseUrl: string, secretsByTenant: ReadonlyMap<string, readonly string[]>) {
  const startMs = chooseStartMs();
  const started = [...secretsByTenant.values()].map((secrets) => ({
    pair: createHttpPoller(baseUrl, secrets.slice(0, keysPerPoller), '1000', startMs),
    styles: createStylePollers(baseUrl, secrets.slice(keysPerPoller), startMs),
  }));
  const polling = Promise.all(
    started.map(async ({ pair, styles }) => {
      const [polled, read] = await Promise.all([pair.poll(), styles.poll()]);
      return { polled, styles: read };
    }),
  );
  polling.catch(() => {});
  return {
    startMs,
    end() {
      for (const { pair, styles } of started) {
        pair.end();
        styles.end();
      }
      return polling;
    },
  };
}

/** Until all sent records are stored, or no more of them for 24 s: without the protection some never are. */
async function forwardAll(
  sent: ReadonlySet<string>,
  {
    forward,
    readStored,
  }: { forward: () => Promise<unknown>; readStored: () => Promise<readonly { readonly event: string }[]> },
): Promise<void> {
  let missing = Number.POSITIVE_INFINITY;
  for (let unchanged = 0; missing > 0 && unchanged < 12; ) {
    await forward();
    const stored = new Set((await readStored()).map(({ event }) => event));
    const next = [...sent].filter((event) => !stored.has(event)).length;
    unchanged = next < missing ? 0 : unchanged + 1;
    missing = next;
    if (missing > 0) await sleep(2_000);
  }
}
