import { join } from 'node:path';
import { type Addresses, type LocalServices, startServices, stateDirectory } from '@tenantscope/local';
import { openPool } from '@tenantscope/store/connection';
import { tickLanes } from '@tenantscope/store/ingest';
import type { LargeDatabase } from './database.ts';

export interface LargeServices extends AsyncDisposable {
  readonly services: LocalServices<'postgres' | 'redis'>;
  readonly addresses: Addresses;
}

/** Services with data of their own, which stay. There is no Kafka: records are written without it. A sixth of the memory of a machine with 24 GiB is for buffers. */
export async function startLargeServices(): Promise<LargeServices> {
  const services = await startServices({
    directory: join(stateDirectory, 'bench-large'),
    only: ['postgres', 'redis'],
    postgresSettings: { shared_buffers: '4GB' },
  });
  return {
    services,
    addresses: { postgres: services.postgres, redis: services.redis, kafka: '127.0.0.1:9' },
    [Symbol.asyncDispose]: () => services[Symbol.asyncDispose](),
  };
}

/** Moves the lanes to the clock twice a second, as an idle ingest process would: without it the watermark stands. */
export function tickInBackground(database: LargeDatabase): AsyncDisposable {
  const pool = openPool(database.roles.ingest, { name: 'tick', maxConnections: 2 });
  const tick = async () => {
    for (const schema of ['models', 'control'] as const) await tickLanes({ pool, schema }).catch(() => []);
  };
  const timer = setInterval(tick, 500);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await pool.end();
    },
  };
}
