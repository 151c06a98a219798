import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

export const faults = ['429', '500', '503', 'slow', 'truncated', 'not JSON', 'closed'] as const;
export type Fault = (typeof faults)[number];

/** A server in front of the API that spoils one of so many responses, with one fault after the other. */
export interface FaultProxy extends AsyncDisposable {
  /** The base URL of the API behind it. */
  readonly url: string;
  /** How often each fault was served. */
  counts(): Readonly<Record<Fault, number>>;
  /** Requests within the Retry-After of the response before them. */
  earlyRequests(): number;
  /** The next request comes from a process that knows no earlier response. */
  forgetRetryAfter(): void;
  /** The target of each request so far. */
  targets(): readonly string[];
}

const retryAfterMs = 2_000;
const slowMs = 2_500;

export async function startFaultProxy(baseUrl: string, every: number): Promise<FaultProxy> {
  const target = new URL(baseUrl);
  const counts = Object.fromEntries(faults.map((fault) => [fault, 0])) as Record<Fault, number>;
  const targets: string[] = [];
  let served = 0;
  let earlyRequests = 0;
  let notBeforeMs = 0;

  const forward = (
    incoming: IncomingMessage,
    respond: (from: IncomingMessage, body: Buffer) => void,
    failed: () => void,
  ) => {
    const headers = { ...incoming.headers, host: target.host, 'accept-encoding': 'identity' };
    const options = { host: target.hostname, port: target.port, path: incoming.url, headers };
    sendRequest(options, async (from) => respond(from, Buffer.concat(await from.toArray())))
      .on('error', failed)
      .end();
  };
  const limit = (response: ServerResponse, status: number) => {
    notBeforeMs = performance.now() + retryAfterMs;
    const error = { code: 'TEST', message: 'A fault of the test.', requestId: 'test' };
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': String(retryAfterMs / 1_000) });
    response.end(JSON.stringify({ error }));
  };
  const spoil = (fault: Fault, incoming: IncomingMessage, response: ServerResponse) => {
    if (fault === '429' || fault === '503') limit(response, Number(fault));
    else if (fault === '500') response.writeHead(500, { 'content-type': 'text/html' }).end('<html>');
    else if (fault === 'closed') incoming.socket.destroy();
    else if (fault === 'not JSON')
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{"id"');
    else
      forward(
        incoming,
        (from, body) => {
          if (fault === 'slow') setTimeout(() => response.writeHead(200, from.headers).end(body), slowMs);
          else {
            response.writeHead(200, { ...from.headers, 'content-length': String(body.length) });
            response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
          }
        },
        () => response.destroy(),
      );
  };

  const server = createServer((incoming, response) => {
    targets.push(incoming.url ?? '');
    if (performance.now() < notBeforeMs) earlyRequests += 1;
    served += 1;
    if (served % every === 0) {
      const fault = faults[(served / every - 1) % faults.length] as Fault;
      counts[fault] += 1;
      spoil(fault, incoming, response);
      return;
    }
    forward(
      incoming,
      (from, body) => response.writeHead(from.statusCode ?? 502, from.headers).end(body),
      () => response.destroy(),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${target.pathname}`,
    counts: () => counts,
    earlyRequests: () => earlyRequests,
    forgetRetryAfter() {
      notBeforeMs = 0;
    },
    targets: () => targets,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
