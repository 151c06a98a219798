import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.ts';

export interface HealthProbes {
  /** Whether the process makes progress. A failure makes the supervisor restart it, so an unavailable store must not fail it. */
  live(): boolean | string;
  /** Whether the process accepts work; a text is the reason why not. */
  ready(): boolean | string | Promise<boolean | string>;
  /** Further members of the response of /readyz. */
  details?(): object;
  metrics: Metrics;
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
      const { registry, setReady } = options.metrics;
      setReady((await runProbe(() => options.ready())) === true);
      response.setHeader('content-type', registry.contentType);
      return response.end(await registry.metrics());
    }
    const probe = path === '/livez' ? options.live : path === '/readyz' ? options.ready : undefined;
    if (!probe) return response.writeHead(404).end();
    const verdict = await runProbe(() => probe.call(options));
    const good = verdict === true;
    response.writeHead(good ? 200 : 503, { 'content-type': 'application/json' });
    const details = path === '/readyz' ? options.details?.() : undefined;
    const outcome = good ? { status: 'ok' } : { status: 'failing', reason: verdict || 'not yet' };
    response.end(JSON.stringify({ ...outcome, ...details }));
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

const runProbe = (probe: () => boolean | string | Promise<boolean | string>): Promise<boolean | string> =>
  within(probeTimeoutMs, async () => probe()).catch((error: Error) => error.message);

function within<Value>(timeoutMs: number, work: () => Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the probe did not respond within ${timeoutMs} ms`)), timeoutMs);
    work()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
