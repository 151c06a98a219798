import { execFile } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findProgram, spawnGuarded } from '@tenantscope/local';

const execute = promisify(execFile);
const startTimeoutMs = 30_000;

// Reused between runs and shared by checkouts: images are built once per machine. Short, since a socket path may have 107 bytes.
const home = '/var/tmp/tenantscope-engine';

/** The DOCKER_HOST address of a container engine that responds, or the reason why there is no such engine. */
export type Engine = { host: string } | { missing: string };

/** Finds the running engine; otherwise starts one for this process where possible (dockerd installed, as root). */
export async function findEngine(): Promise<Engine> {
  if (findProgram('docker') === null) return { missing: 'no container engine: docker is not installed' };
  const own = `unix://${home}/docker.sock`;
  for (const host of [process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock', own]) {
    if (await responds(host)) return { host };
  }
  if (findProgram('dockerd') === null)
    return { missing: 'no container engine is running and dockerd is not installed' };
  if (process.getuid?.() !== 0) return { missing: 'no container engine is running and only root can start one' };

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
    if (await responds(own)) return { host: own };
  }
  daemon.kill();
  return { missing: `dockerd does not start; see ${home}/log` };
}

async function responds(host: string): Promise<boolean> {
  try {
    await execute('docker', ['--host', host, 'info', '--format', '{{.ServerVersion}}'], { timeout: 5000 });
    return true;
  } catch {
    return false;
  }
}
