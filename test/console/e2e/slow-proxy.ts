import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can pause the responses of its target, and records the requests whose clients disconnected meanwhile. */
export interface SlowProxy extends AsyncDisposable {
  readonly port: number;
  setTarget(port: number): void;
  /** Delivers no response data until `resume`. */
  pause(): void;
  resume(): void;
  /** The request lines of clients that disconnected while paused. */
  abandonedRequests(): readonly string[];
}

export async function startSlowProxy(): Promise<SlowProxy> {
  const connections = new Set<{ server: Socket; client: Socket; requestLine: string }>();
  let targetPort = 0;
  let isPaused = false;
  const abandonedRequests: string[] = [];
  const listener = createServer((client) => {
    const server = connect(targetPort, '127.0.0.1');
    const connection = { server, client, requestLine: '' };
    connections.add(connection);
    server.on('data', (bytes) => client.write(bytes));
    if (isPaused) server.pause();
    client.on('data', (bytes) => {
      connection.requestLine = bytes.toString('latin1').split('\r\n')[0] ?? '';
      server.write(bytes);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => {
        if (one === client && isPaused && connections.has(connection)) abandonedRequests.push(connection.requestLine);
        connections.delete(connection);
        other.destroy();
      });
    }
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    setTarget(port) {
      targetPort = port;
    },
    pause() {
      isPaused = true;
      for (const { server } of connections) server.pause();
    },
    resume() {
      isPaused = false;
      for (const { server } of connections) server.resume();
    },
    abandonedRequests: () => abandonedRequests,
    async [Symbol.asyncDispose]() {
      for (const { client, server } of connections) {
        client.destroy();
        server.destroy();
      }
      listener.close();
    },
  };
}
