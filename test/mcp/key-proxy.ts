import { once } from 'node:events';
import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KeyProxy extends AsyncDisposable {
  /** All requests below this address are forwarded. */
  readonly origin: string;
}

/** Starts a loopback proxy that adds a key to every request, for programs that cannot send one. */
export async function startKeyProxy(target: () => string, secret: () => string, port = 0): Promise<KeyProxy> {
  const server = createServer((request, response) => {
    const { hostname, port: targetPort } = new URL(target());
    const headers = { ...request.headers, authorization: `Bearer ${secret()}` };
    const passed = ask(
      { hostname, port: targetPort, path: request.url, method: request.method, headers },
      (upstream) => {
        response.writeHead(upstream.statusCode ?? 502, upstream.headers);
        upstream.pipe(response);
      },
    );
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
