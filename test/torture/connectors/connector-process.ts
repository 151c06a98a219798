import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnGuarded } from '@tenantscope/local';

export interface ConnectorCommand {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** For a connector whose rows are on its output. */
  readonly onLine?: (line: string) => void;
}

/** A connector that runs again whenever it ends: by cron if it reads once, by its supervisor if it was killed. */
export interface ConnectorProcess extends AsyncDisposable {
  /** Signals the process and its children, or waits for its own end; resolves when it has ended. It runs again after `resume`. */
  pause(signal: NodeJS.Signals | null): Promise<void>;
  resume(): void;
  output(): string;
}

const restartMs = 200;

export function startConnector(
  { command, environment, onLine }: ConnectorCommand,
  directory: string,
): ConnectorProcess {
  let output = '';
  let current: ChildProcess | null = null;
  let ended: Promise<unknown> = Promise.resolve();
  let running = true;

  const add = (text: string) => {
    output = (output + text).slice(-20_000);
  };
  const spawnOnce = () => {
    const child = spawnGuarded(command, {
      cwd: directory,
      env: { PATH: process.env.PATH, HOME: directory, LANG: 'C.UTF-8', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      stopSignal: 'SIGTERM',
    });
    current = child;
    child.stderr?.on('data', (chunk: Buffer) => add(chunk.toString('utf8')));
    const lines = onLine === undefined ? null : createInterface({ input: child.stdout as Readable });
    if (lines === null) child.stdout?.on('data', (chunk: Buffer) => add(chunk.toString('utf8')));
    else lines.on('line', (line) => onLine?.(line));
    ended = Promise.all([once(child, 'close'), lines === null ? null : once(lines, 'close')]).then(async () => {
      current = null;
      await sleep(restartMs);
      if (running) spawnOnce();
    });
  };
  const signalGroup = (signal: NodeJS.Signals) => {
    if (current?.pid === undefined) return;
    try {
      process.kill(-current.pid, signal);
    } catch {
      // It has ended.
    }
  };
  const pause = async (signal: NodeJS.Signals | null) => {
    running = false;
    if (signal !== null) signalGroup(signal);
    await ended;
  };
  spawnOnce();
  return {
    pause,
    resume() {
      running = true;
      spawnOnce();
    },
    output: () => output,
    async [Symbol.asyncDispose]() {
      await pause('SIGKILL');
    },
  };
}
