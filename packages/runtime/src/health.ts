import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

export interface HealthProbes {
  /** Whether the process makes progress. A failure makes the supervisor restart it, so an unavailable store must not fail it. */
  live(): boolean | string;
  /** Whether the process accepts work; a text is the reason why not. */
  ready(): boolean | string | Promise<boolean | string>;
  registry: Registry;
}

export interface HealthServer extends AsyncDisposable {
  readonly port: number;
}

const probeTimeoutMs = 2_000;

/** Serves /livez, /readyz and /metrics on a port of their own, never the public one. A probe answers true, or why not. */
export async function serveHealth(options: { host: string; port: number } & HealthProbes): Promise<HealthServer> {
  const server = createServer(async (request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/metrics') {
      response.setHeader('content-type', options.registry.contentType);
      return response.end(await options.registry.metrics());
    }
    const probe = path === '/livez' ? options.live : path === '/readyz' ? options.ready : undefined;
    if (!probe) return response.writeHead(404).end();
    const verdict = await within(probeTimeoutMs, async () => probe.call(options)).catch(
      (error: Error) => error.message,
    );
    const good = verdict === true;
    response.writeHead(good ? 200 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify(good ? { status: 'ok' } : { status: 'failing', reason: verdict || 'not yet' }));
  });
  server.requestTimeout = 5_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function within<Value>(timeoutMs: number, work: () => Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the probe did not respond within ${timeoutMs} ms`)), timeoutMs);
    work()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
