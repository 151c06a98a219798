import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { linkSockets } from './linked-sockets.ts';

/** An address that leads to one server, and later to another one, as that of a failover. */
export interface SwitchedProxy extends AsyncDisposable {
  /** The URL of the first server through the proxy. */
  readonly url: string;
  /** Ends all connections; new ones lead to this server. */
  switchTo(serverUrl: string): void;
}

export async function openSwitchedProxy(serverUrl: string): Promise<SwitchedProxy> {
  let target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer({ noDelay: true }, (client) => {
    const database = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    client.pipe(database);
    database.pipe(client);
    linkSockets(sockets, client, database);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(serverUrl), { hostname: '127.0.0.1', port: String(port) }).href,
    switchTo(url) {
      target = new URL(url);
      endAll();
    },
    async [Symbol.asyncDispose]() {
      endAll();
      server.close();
    },
  };
}
