import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { findFreePort } from '@tenantscope/local';
import { expect, test } from 'vitest';
import { startProcess } from '../installation/processes.ts';

/** A server that accepts connections and never responds, as a database that hangs. */
async function startSilentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    connected: once(server, 'connection'),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test.for(['api', 'ingest', 'jobs', 'console', 'collect'] as const)(
  'SIGTERM while %s waits for its database ends it with status 0, without an error',
  { timeout: 120_000 },
  async (name) => {
    await using silent = await startSilentServer();
    const { address } = silent;
    const database = `postgres://login:password@${address}/database`;
    const port = String(await findFreePort());
    await using started = await startProcess(
      name,
      {
        TENANTSCOPE_API_DATABASE_URL: database,
        TENANTSCOPE_KEYS_DATABASE_URL: database,
        TENANTSCOPE_INGEST_DATABASE_URL: database,
        TENANTSCOPE_JOBS_DATABASE_URL: database,
        TENANTSCOPE_CONSOLE_DATABASE_URL: database,
        TENANTSCOPE_COLLECT_DATABASE_URL: database,
        TENANTSCOPE_KAFKA_BROKERS: address,
        TENANTSCOPE_REDIS_URL: `redis://${address}`,
        TENANTSCOPE_CURSOR_SECRETS: 'a secret of more than thirty-two characters',
        TENANTSCOPE_HOST: '127.0.0.1',
        TENANTSCOPE_PORT: port,
        TENANTSCOPE_PUBLIC_URL: `http://127.0.0.1:${port}/api/v1`,
        TENANTSCOPE_CONSOLE_PORT: port,
        TENANTSCOPE_CONSOLE_URL: `http://localhost:${port}`,
        TENANTSCOPE_CONSOLE_SECRET: 'a secret of more than thirty-two characters',
      },
      { waitUntilReady: false },
    );
    await silent.connected;
    started.kill('SIGTERM');
    expect(await started.gone, started.output()).toBe(0);
    expect(started.output()).toContain('shutting down');
    expect(started.output()).not.toMatch(/"level":(50|60)/);
  },
);
