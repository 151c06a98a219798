import { once } from 'node:events';
import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface WithKey extends AsyncDisposable {
  /** Below it everything is passed on. */
  readonly origin: string;
}

/** A loopback address that passes every request on with a key added: for programs that cannot send one. */
export async function withKey(target: () => string, secret: () => string, port = 0): Promise<WithKey> {
  const server = createServer((request, response) => {
    const { hostname, port: targetPort } = new URL(target());
    const headers = { ...request.headers, authorization: `Bearer ${secret()}` };
    const passed = ask({ hostname, port: targetPort, path: request.url, method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
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
