import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkout } from '../checkout.ts';
import { spawnGuarded } from '../guarded-process.ts';
import { type KeptAlive, keepAlive, type Life } from './keep-alive.ts';
import { readable, say } from './screen.ts';

/** Disposing asks it to end in order, and sees to it that it does. */
export type Application = KeptAlive & AsyncDisposable;

export type Environment = Record<string, string>;

const graceMs = 5_000;

/** Runs `apps/<name>` for as long as it is wanted; its log goes to the screen. */
export function runApplication(name: string, environment: Environment, changed: () => Promise<void>): Application {
  let child: ChildProcess;
  const start = (): Life => {
    child = spawnGuarded([process.execPath, join(checkout, 'apps', name, 'src', 'main.ts')], {
      cwd: checkout,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      stopSignal: 'SIGTERM',
    });
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', (line) => say(name, readable(line)));
    }
    const ended = once(child, 'exit').then(([code, signal]) => `ended (${signal ?? `exit status ${code}`})`);
    return { pid: child.pid ?? 0, ended };
  };
  const kept = keepAlive(name, start(), async () => start(), changed);

  const stop = async () => {
    kept.release();
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await Promise.race([ended, sleep(graceMs, undefined, { ref: false })]);
    child.kill('SIGKILL');
    await ended;
  };
  return {
    name,
    get pid() {
      return kept.pid;
    },
    release: kept.release,
    [Symbol.asyncDispose]: stop,
  };
}

/** Runs one command of the operator's tool and waits for it; throws with what it said when it fails. */
export async function runTool(words: readonly string[], environment: Environment): Promise<string> {
  const tool = join(checkout, 'apps', 'cli', 'bin', 'tenantscope.mjs');
  const child = spawnGuarded([process.execPath, tool, ...words], {
    cwd: checkout,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    stopSignal: 'SIGTERM',
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => said.push(part));
  const [code] = await once(child, 'close');
  const text = said.join('').trim();
  if (code !== 0) throw new Error(`tenantscope ${words.join(' ')} failed: ${text}`);
  return text;
}
