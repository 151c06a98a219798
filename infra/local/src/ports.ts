import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the range the kernel hands to outgoing connections, so that a service which is down for a while finds its port free again.
const lowest = 20_000;
const highest = 32_000;

const given = new Set<number>();

/** A port of 127.0.0.1 that nobody listens on and that was not given before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

/** Whether 127.0.0.1:port could be listened on just now. */
export async function isFree(port: number): Promise<boolean> {
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
