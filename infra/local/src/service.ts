import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnGuarded } from './guarded-process.ts';
import { isFree } from './ports.ts';
import { end, leftovers, signalTree, tree } from './process-tree.ts';

export const serviceNames = ['kafka', 'postgres', 'redis'] as const;
export type ServiceName = (typeof serviceNames)[number];

export interface RunningService {
  readonly name: ServiceName;
  /** Kafka: host:port. PostgreSQL: URL of a role that may create roles and databases. Redis: URL. */
  readonly address: string;
  /** Null while it is down, and always for a service of one's own. */
  readonly pid: number | null;
  readonly logFile: string;
  /** Resolves when the process that runs now has ended, wanted or not. */
  ended(): Promise<void>;
  stop(): Promise<void>;
  /** Up again on the same port with the same contents, after a stop, a kill or a crash too. */
  restart(): Promise<void>;
  /** Hangs every process of the service until `resume`: connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
  /** Ends every process of the service without a chance to clean up. */
  kill(): Promise<void>;
}

/** How one service is run; everything else about running is the same for all. */
export interface ServicePlan {
  name: ServiceName;
  address: string;
  port: number;
  /** Working directory. Nobody else starts this program here, which is how a leftover of a killed run is known. */
  directory: string;
  logFile: string;
  command: readonly string[];
  /** File name of the running executable. */
  executable: string;
  argv0?: string;
  user?: { uid: number; gid: number } | null;
  stopSignal: NodeJS.Signals;
  /** Before each start, when no process of an earlier one is left. */
  prepare(): Promise<void>;
  /** Rejects until the service really answers. */
  answers(): Promise<void>;
}

const startTimeoutMs = 60_000;
const answerTimeoutMs = 5_000;
const stopTimeoutMs = 15_000;

/** Starts a service and waits until it answers. */
export async function runService(plan: ServicePlan): Promise<RunningService> {
  let child = await start(plan);
  const isUp = () => child.exitCode === null && child.signalCode === null;

  async function stop(): Promise<void> {
    if (!isUp()) return;
    signalTree(pidOf(child), 'SIGCONT');
    child.kill(plan.stopSignal);
    await Promise.race([ended(), sleep(stopTimeoutMs, undefined, { ref: false })]);
    if (isUp()) await kill();
  }

  async function kill(): Promise<void> {
    if (isUp()) await Promise.all([end(tree(pidOf(child))), ended()]);
  }

  async function ended(): Promise<void> {
    if (isUp()) await once(child, 'exit');
  }

  return {
    name: plan.name,
    address: plan.address,
    logFile: plan.logFile,
    get pid() {
      return isUp() ? pidOf(child) : null;
    },
    ended,
    stop,
    kill,
    async restart() {
      await stop();
      child = await start(plan);
    },
    pause() {
      // Until nothing new is born: the parent stops first, but may have been in the middle of a fork.
      for (let before = -1, now = 0; before !== now; ) {
        before = now;
        now = signalTree(pidOf(child), 'SIGSTOP');
      }
    },
    resume() {
      signalTree(pidOf(child), 'SIGCONT');
    },
  };
}

async function start(plan: ServicePlan): Promise<ChildProcess> {
  await end(leftovers(plan.directory, plan.executable));
  // Else whoever listens there would be taken for the service.
  if (!(await isFree(plan.port))) throw new Error(`${plan.name} cannot start: port ${plan.port} of 127.0.0.1 is taken`);
  await plan.prepare();
  const log = openSync(plan.logFile, 'a', 0o600);
  const child = spawnGuarded(plan.command, {
    cwd: plan.directory,
    stdio: ['ignore', log, log],
    stopSignal: plan.stopSignal,
    ...(plan.argv0 === undefined ? {} : { argv0: plan.argv0 }),
    ...(plan.user ?? {}),
  });
  closeSync(log);
  try {
    await untilAnswering(plan, child);
  } catch (cause) {
    if (child.pid !== undefined) await end(tree(child.pid));
    throw new Error(`${plan.name} did not start; the end of ${plan.logFile}:\n${tail(plan.logFile)}`, { cause });
  }
  return child;
}

async function untilAnswering(plan: ServicePlan, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) throw new Error('it ended');
    try {
      return await Promise.race([
        plan.answers(),
        sleep(answerTimeoutMs, undefined, { ref: false }).then(() => Promise.reject(new Error('silence'))),
      ]);
    } catch (cause) {
      if (Date.now() > deadline) throw new Error(`no answer for ${startTimeoutMs / 1000} s`, { cause });
      await sleep(50);
    }
  }
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('the process was never started');
  return child.pid;
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-12).join('\n');
}
