import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseInspector } from '../installation/database-inspector.ts';
import { type CollectProcess, startCollecting } from './collect-process.ts';

export interface KillOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** More variables of the collecting processes. */
  readonly extra?: Readonly<Record<string, string>>;
  readonly inspector: DatabaseInspector;
  readonly kills: number;
  /** Half of the kills follow a change of the position within milliseconds, when a process with a wrong order has not published yet. */
  readonly followsPosition?: boolean;
  /** Adds records to collect. */
  readonly onKill: () => void;
}

export interface KilledCollectors extends AsyncDisposable {
  /** How often the process that had a stream was killed. */
  readonly killedAtWork: number;
}

/** Starts two collecting processes and kills the one that works, or a random one, at random times, and starts it again. Disposing stops both. */
export async function killCollectors(options: KillOptions): Promise<KilledCollectors> {
  const start = (): Promise<CollectProcess> => startCollecting(options.environment, options.extra);
  const processes = await Promise.all([start(), start()]);
  let killedAtWork = 0;
  for (let kill = 0; kill < options.kills; kill++) {
    await waitForKillTime(options, kill);
    const worker = await waitForWorker(options.inspector);
    const found = processes.findIndex(({ pid }) => pid === worker);
    const index = found === -1 ? Math.floor(Math.random() * 2) : found;
    if (found !== -1) killedAtWork += 1;
    processes[index]?.kill('SIGKILL');
    await processes[index]?.gone;
    options.onKill();
    processes[index] = await start();
  }
  return {
    killedAtWork,
    async [Symbol.asyncDispose]() {
      for (const each of processes) await each[Symbol.asyncDispose]();
    },
  };
}

async function waitForKillTime({ followsPosition = false, inspector }: KillOptions, kill: number): Promise<void> {
  await sleep(200 + Math.random() * 1_300);
  if (!followsPosition || kill % 2 === 0) return;
  const before = await countRecords(inspector);
  // No change: the provider limits the rate, or no process has the stream.
  for (const endsAtMs = Date.now() + 5_000; Date.now() < endsAtMs; await sleep(1))
    if ((await countRecords(inspector)) !== before) return;
}

async function countRecords({ client }: DatabaseInspector): Promise<string | undefined> {
  const { rows } = await client.query<{ records: string }>(
    'select sum(record_count) as records from control.collector_stream',
  );
  return rows[0]?.records;
}

/** A run may have ended on a slow machine before its process is killed: the next one is waited for. 0: there is none within 4 s. */
async function waitForWorker(inspector: DatabaseInspector): Promise<number> {
  for (const endsAtMs = Date.now() + 4_000; ; await sleep(5)) {
    const worker = await readWorker(inspector);
    if (worker !== 0 || Date.now() > endsAtMs) return worker;
  }
}

/** The id of the process that has a stream; 0 if none has. */
async function readWorker({ client }: DatabaseInspector): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(
    `select split_part(leased_by, '/', 2)::int as pid from control.collector_stream where leased_until > clock_timestamp()`,
  );
  return rows[0]?.pid ?? 0;
}
