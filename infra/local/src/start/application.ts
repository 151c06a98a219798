import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkout } from '../checkout.ts';
import { spawnGuarded } from '../guarded-process.ts';
import { type ProcessName, selectProcessEnvironment } from './process-environment.ts';
import { type ProcessRun, type SupervisedProcess, superviseProcess } from './supervisor.ts';
import { formatLogLine, writeLine } from './terminal.ts';

/** Disposing stops it: in an orderly way, or by force after five seconds. */
export interface Application extends SupervisedProcess, AsyncDisposable {
  readonly name: Exclude<ProcessName, 'cli'>;
  restart(): void;
}

export type EnvironmentVariables = Record<string, string>;

const stopTimeoutMs = 5_000;

/** Runs a program with the variables of the process `name` and starts it again when it exits. Its log is shown on the terminal. */
export function runApplication(
  name: Exclude<ProcessName, 'cli'>,
  program: string,
  environment: EnvironmentVariables,
  onChange: () => Promise<void>,
): Application {
  let child: ChildProcess;
  const start = (): ProcessRun => {
    child = spawnGuarded([process.execPath, program], {
      cwd: checkout,
      env: selectProcessEnvironment(name, environment),
      stdio: ['ignore', 'pipe', 'pipe'],
      stopSignal: 'SIGTERM',
    });
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null)
        createInterface({ input: stream }).on('line', (line) => writeLine(name, formatLogLine(line)));
    }
    const ended = once(child, 'exit').then(([code, signal]) => `exited (${signal ?? `status ${code}`})`);
    return { pid: child.pid ?? 0, ended };
  };
  const supervised = superviseProcess(name, start(), async () => start(), onChange);

  const stop = async () => {
    supervised.release();
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await Promise.race([ended, sleep(stopTimeoutMs, undefined, { ref: false })]);
    child.kill('SIGKILL');
    await ended;
  };
  return {
    name,
    get pid() {
      return supervised.pid;
    },
    release: supervised.release,
    requestRestart: supervised.requestRestart,
    restart() {
      supervised.requestRestart();
      child.kill('SIGTERM');
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** Runs `tenantscope migrate`. Throws with its output if it fails. */
export async function runMigrations(program: string, environment: EnvironmentVariables): Promise<string> {
  const child = spawnGuarded([process.execPath, program, 'migrate'], {
    cwd: checkout,
    env: selectProcessEnvironment('cli', environment),
    stdio: ['ignore', 'pipe', 'pipe'],
    stopSignal: 'SIGTERM',
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => output.push(part));
  const [code] = await once(child, 'close');
  const text = output.join('').trim();
  if (code !== 0) throw new Error(`tenantscope migrate failed: ${text}`);
  return text;
}
