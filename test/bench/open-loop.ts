import { randomUUID } from 'node:crypto';
import { Agent, get } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

// Clients in a process of their own, so that their processor time does not delay the producers. They send at fixed times, whether or not the
// previous responses have arrived: a slow service gets no fewer requests. They accept compressed responses and discard them as received, since they
// share the cores with the service: decompressing took more processor time than sending the page.

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
  /** The X-Request-Id that was sent. */
  readonly requestId: string;
  readonly path: string;
  readonly status: number;
  /** From sending the request until the last byte of the response arrived. */
  readonly ms: number;
}

export interface OpenLoopOutcome {
  readonly responses: readonly OpenLoopResponse[];
  /** Delay of the event loop of the clients: it is part of the times of the responses, but not caused by the service. */
  readonly ownDelayP99Ms: number;
}

const delayResolutionMs = 5;

process.on('message', (order: OpenLoopOrder) => {
  sendAll(order).then(
    (outcome) => process.send?.({ outcome }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function sendAll({ port, clients, intervalMs, durationMs }: OpenLoopOrder): Promise<OpenLoopOutcome> {
  const agent = new Agent({ keepAlive: true });
  const delay = monitorEventLoopDelay({ resolution: delayResolutionMs });
  delay.enable();
  const beganAt = performance.now();
  const sendFrom = async ({ secret, paths }: OpenLoopClient, offsetMs: number) => {
    const responses: Promise<OpenLoopResponse>[] = [];
    for (let turn = 0; offsetMs + turn * intervalMs < durationMs; turn++) {
      await sleep(Math.max(0, beganAt + offsetMs + turn * intervalMs - performance.now()));
      responses.push(send({ agent, port, secret, path: paths[turn % paths.length] ?? '/ping' }));
    }
    return Promise.all(responses);
  };
  const all = clients.map((client, number) => sendFrom(client, (number * intervalMs) / clients.length));
  const responses = (await Promise.all(all)).flat();
  // The histogram measures the whole interval; the resolution itself is not delay.
  const ownDelayP99Ms = Math.max(0, delay.percentile(99) / 1e6 - delayResolutionMs);
  agent.destroy();
  return { responses, ownDelayP99Ms };
}

interface Request {
  readonly agent: Agent;
  readonly port: number;
  readonly secret: string;
  readonly path: string;
}

function send({ agent, port, secret, path }: Request): Promise<OpenLoopResponse> {
  const requestId = randomUUID();
  const sentAt = performance.now();
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${secret}`,
      'accept-encoding': 'gzip, deflate',
      'x-request-id': requestId,
    };
    get({ agent, host: '127.0.0.1', port, path: `/api/v1${path}`, headers }, (response) => {
      response.on('end', () => {
        resolve({ requestId, path, status: response.statusCode ?? 0, ms: performance.now() - sentAt });
      });
      response.on('error', reject);
      response.resume();
    }).on('error', reject);
  });
}
