import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcessIdentity } from './process-tree.ts';

// Below the kernel's range of ephemeral ports, so that the port of a service that is down for a while stays free.
const minPort = 20_000;
const maxPort = 32_000;

/** Files named by the ports that live processes of this user have got, each with the identity of its process. */
const reservations = join(tmpdir(), `tenantscope-ports-${process.getuid?.() ?? 'user'}`);

/**
 * Finds a port of 127.0.0.1 that is free and that neither this process nor another live one was given: a server may listen on it seconds later.
 */
export async function findFreePort(): Promise<number> {
  mkdirSync(reservations, { recursive: true, mode: 0o700 });
  for (;;) {
    const port = randomInt(minPort, maxPort);
    if (reserve(port) && (await isPortFree(port))) return port;
  }
}

function reserve(port: number): boolean {
  const file = join(reservations, String(port));
  try {
    writeFileSync(file, readProcessIdentity(process.pid) ?? String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    releaseOfEnded(file);
    return false;
  }
}

/** The next search finds the port free. */
function releaseOfEnded(file: string): void {
  try {
    const holder = readFileSync(file, 'utf8');
    // Empty until its process has written it.
    if (holder !== '' && readProcessIdentity(Number.parseInt(holder, 10)) !== holder) rmSync(file, { force: true });
  } catch {
    // Another process has removed it.
  }
}

/** Whether a server can listen on 127.0.0.1:port now. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
