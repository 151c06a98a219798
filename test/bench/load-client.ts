import { connect, type Socket } from 'node:net';
import { quantile } from './statistics.ts';

// A process that sends requests as fast as it gets responses, over persistent connections. It parses heads and counts body bytes only, to
// use as little processor time as possible: it competes with the measured processes.

export interface LoadOrder {
  /** Connections are distributed over these servers. */
  ports: readonly number[];
  connections: number;
  durationMs: number;
  /** Chosen at random. A request with a JSON body is a POST. */
  requests: readonly { path: string; headers?: Record<string, string>; body?: string }[];
  /** Used in rotation, so that no key reaches its limit; empty for a server without keys. */
  secrets: readonly string[];
}

export interface LoadOutcome {
  responses: number;
  durationMs: number;
  bytes: number;
  p50Ms: number;
  p90Ms: number;
  p99Ms: number;
}

const headEnd = Buffer.from('\r\n\r\n');

if (process.send) {
  process.on('message', (order: LoadOrder) => {
    runOrder(order).then(
      (outcome) => process.send?.({ outcome }),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
}

async function runOrder(order: LoadOrder): Promise<LoadOutcome> {
  const latencies: number[] = [];
  let bytes = 0;
  let turn = 0;
  const beganAt = performance.now();
  const endsAt = beganAt + order.durationMs;
  const next = (): string => {
    const { path, headers, body } = order.requests[Math.floor(Math.random() * order.requests.length)] ?? { path: '/' };
    const secret = order.secrets[turn++ % order.secrets.length];
    const lines = Object.entries({
      host: '127.0.0.1',
      ...(secret ? { authorization: `Bearer ${secret}` } : {}),
      ...(body ? { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) } : {}),
      ...headers,
    });
    const method = body ? 'POST' : 'GET';
    return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body ?? ''}`;
  };
  await Promise.all(
    Array.from({ length: order.connections }, async (_, number) => {
      const socket = connect({ port: order.ports[number % order.ports.length] ?? 0, host: '127.0.0.1', noDelay: true });
      const read = reader(socket);
      while (performance.now() < endsAt) {
        const startedAt = performance.now();
        socket.write(next());
        const length = await read();
        bytes += length;
        latencies.push(performance.now() - startedAt);
      }
      socket.destroy();
    }),
  );
  return {
    responses: latencies.length,
    durationMs: performance.now() - beganAt,
    bytes,
    p50Ms: quantile(latencies, 0.5),
    p90Ms: quantile(latencies, 0.9),
    p99Ms: quantile(latencies, 0.99),
  };
}

/** Waits for one complete response and returns the length of its body. Rejects any status except 200. */
function reader(socket: Socket): () => Promise<number> {
  let head = Buffer.alloc(0);
  let left = -1;
  let length = 0;
  let response = Promise.withResolvers<number>();
  const fail = (message: string) => response.reject(new Error(message));
  socket.on('error', (error) => fail(error.message));
  socket.on('close', () => fail('the server closed the connection'));
  socket.on('data', (chunk: Buffer) => {
    if (left < 0) {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(headEnd);
      if (end < 0) return;
      const text = head.toString('latin1', 0, end);
      if (!text.startsWith('HTTP/1.1 200')) return fail(head.toString('utf8'));
      length = Number(/^content-length: *(\d+)/im.exec(text)?.[1]);
      if (Number.isNaN(length)) return fail(`no content-length: ${text}`);
      left = length - (head.length - end - headEnd.length);
      head = Buffer.alloc(0);
    } else left -= chunk.length;
    if (left > 0) return;
    left = -1;
    response.resolve(length);
  });
  return async () => {
    response = Promise.withResolvers();
    return response.promise;
  };
}
