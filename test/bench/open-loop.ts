import { setTimeout as sleep } from 'node:timers/promises';

// Clients in a process of their own, so that their processor time does not delay the producers. They send at fixed times, whether or not the
// previous responses have arrived: a slow service gets no fewer requests.

/** A client that sends its requests in rotation. */
export interface OpenLoopClient {
  readonly secret: string;
  /** Below the base URL. */
  readonly paths: readonly string[];
}

export interface OpenLoopOrder {
  readonly port: number;
  readonly clients: readonly OpenLoopClient[];
  /** Between two requests of one client. The clients begin one after the other within it. */
  readonly intervalMs: number;
  readonly durationMs: number;
}

export interface OpenLoopResponse {
  readonly path: string;
  readonly status: number;
  readonly ms: number;
}

process.on('message', (order: OpenLoopOrder) => {
  sendAll(order).then(
    (responses) => process.send?.({ responses }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());

async function sendAll({ port, clients, intervalMs, durationMs }: OpenLoopOrder): Promise<OpenLoopResponse[]> {
  const beganAt = performance.now();
  const sendFrom = async ({ secret, paths }: OpenLoopClient, offsetMs: number) => {
    const responses: Promise<OpenLoopResponse>[] = [];
    for (let turn = 0; offsetMs + turn * intervalMs < durationMs; turn++) {
      await sleep(Math.max(0, beganAt + offsetMs + turn * intervalMs - performance.now()));
      responses.push(send(port, secret, paths[turn % paths.length] ?? '/ping'));
    }
    return Promise.all(responses);
  };
  const all = clients.map((client, number) => sendFrom(client, (number * intervalMs) / clients.length));
  return (await Promise.all(all)).flat();
}

async function send(port: number, secret: string, path: string): Promise<OpenLoopResponse> {
  const startedAt = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  await response.arrayBuffer();
  return { path, status: response.status, ms: performance.now() - startedAt };
}
