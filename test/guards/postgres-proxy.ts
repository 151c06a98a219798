import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { linkSockets } from '../services/linked-sockets.ts';
import { PreparedMessages, writeFrame } from './prepared-messages.ts';

/** A proxy between a process and PostgreSQL that captures the statements of a tenant and can rewrite them. */
export interface PostgresProxy extends AsyncDisposable {
  /** The same database through the proxy. */
  readonly url: string;
  /** The unchanged statements of this tenant while `work` ran. */
  capture<Result>(
    tenantId: string,
    work: () => Promise<Result>,
  ): Promise<{ result: Result; statements: readonly string[] }>;
  /** Rewrites every such statement from now on; null stops rewriting. */
  rewrite(change: ((statement: string) => string) | null): void;
}

const startups = new Set([196_608, 196_610]);
const namesTenant = /set_config\('tenantscope\.tenant'/;

export async function openPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const target = new URL(databaseUrl);
  const listeners = new Set<{ tenantId: string; statements: string[] }>();
  const sockets = new Set<Socket>();
  let change: ((statement: string) => string) | null = null;

  const takeStatement = (statement: string): string => {
    if (!namesTenant.test(statement)) return statement;
    for (const { tenantId, statements } of listeners) if (statement.includes(tenantId)) statements.push(statement);
    return change ? change(statement) : statement;
  };
  const createRelay = () => {
    const prepared = new PreparedMessages();
    return (frame: Buffer): Buffer => {
      if (frame[0] !== 'Q'.charCodeAt(0)) return prepared.passOn(frame, takeStatement);
      const statement = frame.toString('utf8', 5, frame.length - 1);
      const changed = takeStatement(statement);
      return changed === statement ? frame : simpleQuery(changed);
    };
  };
  const server = createServer((client) => {
    const database = connect({ host: target.hostname, port: Number(target.port || 5432), noDelay: true });
    client.setNoDelay(true);
    const passOn = createRelay();
    let buffered = Buffer.alloc(0);
    let started = false;
    client.on('data', (bytes) => {
      buffered = Buffer.concat([buffered, bytes]);
      for (;;) {
        const lengthAt = started ? 1 : 0;
        if (buffered.length < lengthAt + 4) return;
        const end = lengthAt + buffered.readInt32BE(lengthAt);
        if (buffered.length < end) return;
        const frame = buffered.subarray(0, end);
        buffered = buffered.subarray(end);
        database.write(started ? passOn(frame) : frame);
        started ||= startups.has(frame.readInt32BE(4));
      }
    });
    database.pipe(client);
    linkSockets(sockets, client, database);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href,
    async capture(tenantId, work) {
      const statements: string[] = [];
      const listener = { tenantId, statements: statements };
      listeners.add(listener);
      try {
        return { result: await work(), statements };
      } finally {
        listeners.delete(listener);
      }
    },
    rewrite(newChange) {
      change = newChange;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const simpleQuery = (statement: string): Buffer => writeFrame('Q', Buffer.from(`${statement}\0`));
