import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnGuarded } from './guarded-process.ts';
import { isPortFree } from './ports.ts';
import { findLeftoverProcesses, killProcesses, listProcessTree, signalTree } from './process-tree.ts';
import { createSystemEnvironment } from './system-environment.ts';

export const serviceNames = ['kafka', 'postgres', 'redis'] as const;
export type ServiceName = (typeof serviceNames)[number];

export interface RunningService {
  readonly name: ServiceName;
  /** Kafka: host:port. PostgreSQL: URL of a role that may create roles and databases. Redis: URL. */
  readonly address: string;
  /** Null while it is down, and always for an external service. */
  readonly pid: number | null;
  readonly logFile: string;
  /** Resolves when the current process has ended, for any reason. */
  ended(): Promise<void>;
  stop(): Promise<void>;
  /** Starts it again on the same port with the same data, also after a stop, a kill or a crash. */
  restart(): Promise<void>;
  /** Suspends every process of the service until `resume`: connections stay open and do not respond. */
  pause(): void;
  resume(): void;
  /** Kills every process of the service without a chance to clean up. */
  kill(): Promise<void>;
}

/** What differs between the services. */
export interface ServiceDefinition {
  name: ServiceName;
  address: string;
  port: number;
  /** Working directory. Only this service starts the program here, which identifies the leftovers of a killed run. */
  directory: string;
  logFile: string;
  command: readonly string[];
  /** File name of the running executable. */
  executable: string;
  argv0?: string;
  user?: { uid: number; gid: number } | null;
  stopSignal: NodeJS.Signals;
  /** Runs before each start, when no earlier process is left. */
  prepare(): Promise<void>;
  /** Rejects until the service responds. */
  probe(): Promise<void>;
}

/** A process that exits fails at once. On a host with ten times as much work as processors Kafka took more than 60 s. */
const startTimeoutMs = 180_000;
const probeTimeoutMs = 5_000;
const stopTimeoutMs = 15_000;

/** Starts a service and waits until it responds. */
export async function runService(definition: ServiceDefinition): Promise<RunningService> {
  let child = await start(definition);
  const isUp = () => child.exitCode === null && child.signalCode === null;

  async function stop(): Promise<void> {
    if (!isUp()) return;
    signalTree(readPid(child), 'SIGCONT');
    child.kill(definition.stopSignal);
    await Promise.race([ended(), sleep(stopTimeoutMs, undefined, { ref: false })]);
    if (isUp()) await kill();
  }

  async function kill(): Promise<void> {
    if (isUp()) await Promise.all([killProcesses(listProcessTree(readPid(child))), ended()]);
  }

  async function ended(): Promise<void> {
    if (isUp()) await once(child, 'exit');
  }

  return {
    name: definition.name,
    address: definition.address,
    logFile: definition.logFile,
    get pid() {
      return isUp() ? readPid(child) : null;
    },
    ended,
    stop,
    kill,
    async restart() {
      await stop();
      child = await start(definition);
    },
    pause() {
      // Repeated until no process is new: the parent stops first, but may have been in the middle of a fork.
      for (let before = -1, now = 0; before !== now; ) {
        before = now;
        now = signalTree(readPid(child), 'SIGSTOP');
      }
    },
    resume() {
      signalTree(readPid(child), 'SIGCONT');
    },
  };
}

async function start(definition: ServiceDefinition): Promise<ChildProcess> {
  await killProcesses(findLeftoverProcesses(definition.directory, definition.executable));
  // Otherwise another process on that port would be mistaken for the service.
  if (!(await isPortFree(definition.port)))
    throw new Error(`${definition.name} cannot start: port ${definition.port} of 127.0.0.1 is in use`);
  await definition.prepare();
  const log = openSync(definition.logFile, 'a', 0o600);
  const child = spawnGuarded(definition.command, {
    cwd: definition.directory,
    env: createSystemEnvironment(),
    stdio: ['ignore', log, log],
    stopSignal: definition.stopSignal,
    ...(definition.argv0 === undefined ? {} : { argv0: definition.argv0 }),
    ...(definition.user ?? {}),
  });
  closeSync(log);
  try {
    await waitUntilReady(definition, child);
  } catch (cause) {
    if (child.pid !== undefined) await killProcesses(listProcessTree(child.pid));
    throw new Error(
      `${definition.name} did not start; last lines of ${definition.logFile}:\n${readLastLines(definition.logFile)}`,
      { cause },
    );
  }
  return child;
}

async function waitUntilReady(definition: ServiceDefinition, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null)
      throw new Error('the process exited');
    try {
      return await Promise.race([
        definition.probe(),
        sleep(probeTimeoutMs, undefined, { ref: false }).then(() => Promise.reject(new Error('probe timed out'))),
      ]);
    } catch (cause) {
      if (Date.now() > deadline) throw new Error(`not ready after ${startTimeoutMs / 1000} s`, { cause });
      await sleep(50);
    }
  }
}

function readPid(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('the process did not start');
  return child.pid;
}

function readLastLines(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-12).join('\n');
}
