import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Certificate } from './certificates.ts';

export interface ExpiredServer extends AsyncDisposable {
  readonly port: number;
}

/** Length of the message by which a PostgreSQL client requests TLS. */
const sslRequestBytes = 8;

/** A server whose certificate has expired: clients of Kafka, PostgreSQL and Redis end the handshake. */
export async function startExpiredServer({ certFile, keyFile }: Certificate): Promise<ExpiredServer> {
  const secureContext = createSecureContext({ cert: await readFile(certFile), key: await readFile(keyFile) });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('readable', () => {
      const first: Buffer | null = socket.read();
      if (first === null) return;
      if (first.length === sslRequestBytes) socket.write('S');
      else socket.unshift(first);
      new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => {});
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
