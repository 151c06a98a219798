import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the kernel's range of ephemeral ports, so that the port of a service that is down for a while stays free.
const minPort = 20_000;
const maxPort = 32_000;

const returned = new Set<number>();

/** Finds a port of 127.0.0.1 that is free and was not returned before. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(minPort, maxPort);
    if (returned.has(port) || !(await isPortFree(port))) continue;
    returned.add(port);
    return port;
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
