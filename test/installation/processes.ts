import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runCommand } from '@tenantscope/cli/command';
import {
  buildProductBundle,
  findFreePort,
  type ProductPrograms,
  selectProcessEnvironment,
  spawnGuarded,
} from '@tenantscope/local';
import { eventually } from './eventually.ts';
import { liveProcesses } from './live-processes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

let bundle: Promise<ProductPrograms> | undefined;

/** The processes as `npm start` runs them: bundled. A run of tests builds the bundle before its first file. */
export function productBundle(): Promise<ProductPrograms> {
  bundle ??= buildProductBundle();
  return bundle;
}

/**
 * A process of the product, started as an operator would: with exactly the variables that its configuration declares.
 * Disposing sends SIGTERM, then SIGKILL after 15 s. It ends with the test run.
 */
export interface ProductProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly healthPort: number;
  /** Its complete output. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when it has ended, with its exit status or signal. */
  readonly gone: Promise<number | NodeJS.Signals>;
  ready(): Promise<boolean>;
}

export async function startProcess(
  name: 'api' | 'ingest' | 'jobs' | 'console' | 'collect',
  environment: Record<string, string>,
  options: { waitUntilReady?: boolean; programs?: ProductPrograms } = {},
): Promise<ProductProcess> {
  const [healthPort, { program }] = await Promise.all([findFreePort(), options.programs ?? productBundle()]);
  const child = spawnGuarded([process.execPath, program(name)], {
    cwd: root,
    env: selectProcessEnvironment(
      name,
      // No load balancer has to notice that an api or a console stops: 2 s less per stop.
      { TENANTSCOPE_DRAIN_MS: '0', ...environment, TENANTSCOPE_HEALTH_PORT: String(healthPort) },
      { PATH: process.env.PATH, ...environment },
    ),
    stdio: ['ignore', 'pipe', 'pipe'],
    stopSignal: 'SIGTERM',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-200_000);
    });
  }
  const description = `${name} ${child.pid}`;
  liveProcesses().set(description, () => child.kill('SIGKILL'));
  const gone = once(child, 'exit').then(([code, signal]) => {
    liveProcesses().delete(description);
    return (signal ?? code) as number | NodeJS.Signals;
  });
  const ready = async () => (await fetch(`http://127.0.0.1:${healthPort}/readyz`).catch(() => null))?.status === 200;
  const started: ProductProcess = {
    child,
    healthPort,
    output: () => output,
    kill: (signal) => void child.kill(signal),
    gone,
    ready,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
      await gone;
      clearTimeout(timer);
    },
  };
  if (options.waitUntilReady ?? true) {
    await eventually(`${name} is ready`, 30_000, async () => {
      if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}:\n${output}`);
      return ready();
    }).catch((error: unknown) => {
      child.kill('SIGKILL');
      throw new Error(`${(error as Error).message}\n${output}`);
    });
  }
  return started;
}

/**
 * Runs `tenantscope … --json` and returns its document; throws with its error output when it fails. In this process, which saves 0.4 s of
 * CPU time per command: tests of the command line itself start processes (test/cli).
 */
export async function tenantscope<Document = Record<string, unknown>>(
  environment: Record<string, string>,
  ...args: string[]
): Promise<Document> {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const written = Promise.all([text(out), text(err)]);
  const streams = { input: Readable.from([]), out, err, terminal: process.stderr };
  const status = await runCommand([...args, '--json'], () => environment, streams);
  out.end();
  err.end();
  const [stdout, stderr] = await written;
  if (status !== 0) throw new Error(`tenantscope ${args.join(' ')}: exit status ${status}: ${stderr}`);
  return JSON.parse(stdout) as Document;
}
