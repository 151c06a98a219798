import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTopic } from '../cli/command-line.ts';
import { openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { type CollectProcess, startCollecting } from './collect-process.ts';
import { readStream } from './collector-list.ts';
import { type OktaEvent, oktaEvents } from './okta-event.ts';
import { startOktaServer } from './okta-server.ts';

const stack = new AsyncDisposableStack();
let installation: Installation;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-collect-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  installation = stack.use(await startInstallation());
  await installation.startIngest();
});
afterAll(() => stack.disposeAsync());

const kills = 20;

test('two collectors of which one is killed 20 times at random lose no event and repeat only duplicates', async () => {
  await using server = await startOktaServer({
    pageMax: 50,
    latencyMs: 60,
    repeats: 5,
    rateLimit: { requests: 15, windowMs: 1_000 },
  });
  const events: OktaEvent[] = [];
  const append = (count: number): void => {
    const more = oktaEvents(count, Date.now());
    events.push(...more);
    server.append(more);
  };
  append(3_000);
  const { id: tenantId } = await installation.createTenant();
  const secretFile = join(directory, 'token');
  await writeFile(secretFile, server.token, { mode: 0o600 });
  const { id } = await installation.cli<{ id: string }>(
    ...[
      'collector',
      'create',
      'okta',
      '--tenant',
      tenantId,
      '--url',
      server.url,
      '--secret-file',
      secretFile,
      '--interval',
      '1',
    ],
  );

  await using inspector = await openDatabaseInspector(installation.database.superuser);
  /** The process that collects now. */
  const readWorker = async (): Promise<number> => {
    const { rows } = await inspector.client.query<{ pid: number }>(
      `select split_part(leased_by, '/', 2)::int as pid from control.collector_stream where leased_until > clock_timestamp()`,
    );
    return rows[0]?.pid ?? 0;
  };
  const start = (): Promise<CollectProcess> => startCollecting(installation.environment);
  const processes = [await start(), await start()];
  let killedAtWork = 0;
  for (let kill = 0; kill < kills; kill++) {
    await sleep(200 + Math.random() * 1_500);
    const worker = await readWorker();
    const found = processes.findIndex(({ pid }) => pid === worker);
    const index = found === -1 ? Math.floor(Math.random() * 2) : found;
    if (found !== -1) killedAtWork += 1;
    processes[index]?.kill('SIGKILL');
    await processes[index]?.gone;
    append(150);
    processes[index] = await start();
  }
  expect(killedAtWork).toBeGreaterThan(kills / 4);

  // Rows, which repeated events do not add to: how many records were published counts repeats.
  await eventually('all rows', 120_000, async () => (await inspector.rowCount(tenantId)) >= events.length);
  await eventually('the end of the log', 60_000, async () => {
    const { completedAt, failures } = (await readStream(installation, id)) ?? {};
    return completedAt != null && failures === 0;
  });
  for (const each of processes) await each[Symbol.asyncDispose]();
  const collected = (await readTopic(installation.activityTopic)).map(
    ({ value }) => (JSON.parse(String(value)) as OktaEvent).uuid,
  );
  const expected = events.map(({ uuid }) => uuid).toSorted();
  expect([...new Set(collected)].toSorted()).toEqual(expected);

  const rows = (await inspector.rows(tenantId)).map(({ document }) => String(document.externalEventId));
  expect(rows.toSorted()).toEqual(expected);
  expect((await inspector.deadLetters()).filter((one) => one.tenantId === tenantId)).toEqual([]);
});
