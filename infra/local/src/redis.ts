import { mkdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Redis } from 'ioredis';
import type { ServerCertificate } from './postgres.ts';
import { findProgram, requireProgram } from './programs.ts';
import { type RunningService, runService } from './service.ts';

export interface RedisOptions {
  directory: string;
  port: number;
  /** Contents survive a crash of the machine. */
  durable: boolean;
  /** A port with TLS, besides the other one, and PEM files of its certificate, key and authorities. */
  tls?: ServerCertificate & { port: number; caFile: string };
}

/** Starts a Redis that persists its data (append-only file) and evicts nothing. */
export async function startRedis({ directory, port, durable, tls }: RedisOptions): Promise<RunningService> {
  // Debian's redis-server is a link to redis-check-rdb, one executable that behaves by the name it is called by. Its package redis-tools
  // contains the executable without a service that would be started.
  const program = await requireProgram(() => findProgram('redis-server') ?? findProgram('redis-check-rdb'), {
    what: 'Redis (redis-server)',
    packages: ['redis-tools'],
    instead: 'TENANTSCOPE_REDIS_URL',
  });
  const address = `redis://127.0.0.1:${port}`;
  const settings = {
    port,
    bind: '127.0.0.1',
    save: '',
    appendonly: 'yes',
    appendfsync: durable ? 'everysec' : 'no',
    'maxmemory-policy': 'noeviction',
    ...(tls === undefined
      ? {}
      : {
          'tls-port': tls.port,
          'tls-cert-file': tls.certFile,
          'tls-key-file': tls.keyFile,
          'tls-ca-cert-file': tls.caFile,
          'tls-auth-clients': 'no',
        }),
  };
  return runService({
    name: 'redis',
    address,
    port,
    directory,
    logFile: join(directory, 'redis.log'),
    command: [program, ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])],
    argv0: 'redis-server',
    executable: basename(await realpath(program)),
    stopSignal: 'SIGTERM',
    async prepare() {
      await mkdir(directory, { recursive: true, mode: 0o700 });
    },
    async probe() {
      const client = new Redis(address, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 1000 });
      client.on('error', () => undefined);
      try {
        await client.connect();
        await client.ping();
      } finally {
        client.disconnect();
      }
    },
  });
}
