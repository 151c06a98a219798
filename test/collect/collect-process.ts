import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { findFreePort, sourcePrograms, spawnGuarded } from '@tenantscope/local';
import { eventually } from '../installation/eventually.ts';
import { productBundle } from '../installation/processes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface CollectProcess extends AsyncDisposable {
  readonly pid: number;
  readonly healthPort: number;
  output(): string;
  kill(signal: NodeJS.Signals): void;
  readonly gone: Promise<number | NodeJS.Signals>;
}

/** The variables of the environment that the collecting process reads. */
const variables = ['TENANTSCOPE_COLLECT_DATABASE_URL', 'TENANTSCOPE_KAFKA_BROKERS', 'TENANTSCOPE_TOPIC_PREFIX'];

/** A collecting process, started as an operator would. Disposing sends SIGTERM and requires that it stops in time, with status 0. */
export async function startCollecting(
  environment: Readonly<Record<string, string>>,
  extra: Readonly<Record<string, string>> = {},
): Promise<CollectProcess> {
  const healthPort = await findFreePort();
  // A module that changes a source while it is loaded (NODE_OPTIONS) needs the sources.
  const { program } = extra.NODE_OPTIONS === undefined ? await productBundle() : sourcePrograms;
  const child = spawnGuarded([process.execPath, program('collect')], {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? '',
      ...Object.fromEntries(variables.map((name) => [name, environment[name] ?? ''])),
      TENANTSCOPE_COLLECT_LEASE_SECONDS: '2',
      TENANTSCOPE_COLLECT_REQUEST_SECONDS: '2',
      TENANTSCOPE_LOG_LEVEL: 'debug',
      TENANTSCOPE_HEALTH_PORT: String(healthPort),
      ...extra,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    stopSignal: 'SIGTERM',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-400_000);
    });
  const gone = once(child, 'exit').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals);
  await eventually('collect is ready', 30_000, async () => {
    if (child.exitCode !== null) throw new Error(`collect ended with ${child.exitCode}:\n${output}`);
    return (await fetch(`http://127.0.0.1:${healthPort}/readyz`).catch(() => null))?.status === 200;
  });
  return {
    pid: child.pid ?? 0,
    healthPort,
    output: () => output,
    kill: (signal) => void child.kill(signal),
    gone,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
      const status = await gone;
      clearTimeout(timer);
      if (status !== 0) throw new Error(`collect ended with ${status}:\n${output}`);
    },
  };
}
