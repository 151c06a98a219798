import { execFile } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findProgram, spawnGuarded } from '@tenantscope/local';

const execute = promisify(execFile);
const startTimeoutMs = 30_000;

// Kept between runs and shared by checkouts: images are built once on a machine. Short, since a socket's path may have 107 bytes.
const home = '/var/tmp/tenantscope-engine';

/** A container engine that answers, by its address for DOCKER_HOST, or why there is none. */
export type Engine = { host: string } | { missing: string };

/** The engine that runs already; else one is started for this process where that can be done (dockerd installed, as root). */
export async function findEngine(): Promise<Engine> {
  if (findProgram('docker') === null) return { missing: 'no container engine: docker is not installed' };
  const own = `unix://${home}/docker.sock`;
  for (const host of [process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock', own]) {
    if (await answers(host)) return { host };
  }
  if (findProgram('dockerd') === null) return { missing: 'no container engine runs and dockerd is not installed' };
  if (process.getuid?.() !== 0) return { missing: 'no container engine runs and only root can start one' };

  mkdirSync(home, { recursive: true, mode: 0o711 });
  const log = openSync(join(home, 'log'), 'w', 0o600);
  const places = [`--data-root=${home}/data`, `--exec-root=${home}/exec`, `--pidfile=${home}/pid`, `--host=${own}`];
  const daemon = spawnGuarded(['dockerd', ...places], { stdio: ['ignore', log, log], stopSignal: 'SIGTERM' });
  closeSync(log);
  daemon.unref();
  for (
    const deadline = Date.now() + startTimeoutMs;
    Date.now() < deadline && daemon.exitCode === null;
    await sleep(100)
  ) {
    if (await answers(own)) return { host: own };
  }
  daemon.kill();
  return { missing: `dockerd does not start here; ${home}/log says why` };
}

async function answers(host: string): Promise<boolean> {
  try {
    await execute('docker', ['--host', host, 'info', '--format', '{{.ServerVersion}}'], { timeout: 5000 });
    return true;
  } catch {
    return false;
  }
}
