import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { StoreUnavailable } from '../src/connection/errors.ts';
import { openPool, withConnection } from '../src/connection/pool.ts';

const message = (type: string, body: Buffer): Buffer => {
  const header = Buffer.alloc(5);
  header.write(type);
  header.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
};
const authenticated = message('R', Buffer.alloc(4));
const ready = message('Z', Buffer.from('I'));
const ended = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'));

/** A server that ends each connection as soon as it is ready, as one that stops: all of it arrives at once. */
async function startStoppingServer() {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([authenticated, ready, ended])));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (login: string) => `postgres://${login}@127.0.0.1:${port}/database`,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}

test.for(['user', 'user:secret'])(
  'a connection as %s that the server ends when it is ready fails its statement, and ends no process',
  async (login) => {
    await using server = await startStoppingServer();
    const unhandled: unknown[] = [];
    const record = (error: unknown) => void unhandled.push(error);
    process.on('uncaughtExceptionMonitor', record);
    const pool = openPool(server.url(login), { name: 'test', maxConnections: 1 });
    try {
      const statement = withConnection(pool, (client) => client.query('select 1'));
      await expect(statement).rejects.toBeInstanceOf(StoreUnavailable);
    } finally {
      process.off('uncaughtExceptionMonitor', record);
      await pool.end();
    }
    expect(unhandled).toEqual([]);
  },
);
