import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A road to a server on which traffic can be held up, and that counts who gave up waiting. */
export interface SlowRoad extends AsyncDisposable {
  readonly port: number;
  leadTo(port: number): void;
  /** From now on nothing of what the server says arrives, until `clear`. */
  hold(): void;
  clear(): void;
  /** The first lines of requests whose callers hung up while they were held. */
  givenUp(): readonly string[];
}

export async function slowRoad(): Promise<SlowRoad> {
  const roads = new Set<{ server: Socket; client: Socket; asked: string }>();
  let targetPort = 0;
  let isHeld = false;
  const givenUp: string[] = [];
  const listener = createServer((client) => {
    const server = connect(targetPort, '127.0.0.1');
    const road = { server, client, asked: '' };
    roads.add(road);
    server.on('data', (bytes) => client.write(bytes));
    if (isHeld) server.pause();
    client.on('data', (bytes) => {
      road.asked = bytes.toString('latin1').split('\r\n')[0] ?? '';
      server.write(bytes);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => {
        if (one === client && isHeld && roads.has(road)) givenUp.push(road.asked);
        roads.delete(road);
        other.destroy();
      });
    }
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    leadTo(port) {
      targetPort = port;
    },
    hold() {
      isHeld = true;
      for (const { server } of roads) server.pause();
    },
    clear() {
      isHeld = false;
      for (const { server } of roads) server.resume();
    },
    givenUp: () => givenUp,
    async [Symbol.asyncDispose]() {
      for (const { client, server } of roads) {
        client.destroy();
        server.destroy();
      }
      listener.close();
    },
  };
}
