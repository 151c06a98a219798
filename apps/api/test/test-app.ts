import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { type OperationName, operations } from '@tenantscope/contract';
import { type ConnectionTimeouts, createLog, createMetrics, type Log } from '@tenantscope/runtime';
import type { KeyDirectory, KeyRecord } from '@tenantscope/store/api-key';
import { StoreUnavailable } from '@tenantscope/store/connection';
import { buildApp } from '../src/app.ts';
import { createFailedLoginLimit } from '../src/auth/failed-login-limit.ts';
import type { KeyUsageCounter } from '../src/auth/key-usage.ts';
import type { GuardedKeys } from '../src/auth/unknown-keys.ts';
import type { Handlers } from '../src/invoke.ts';
import { registerMetrics } from '../src/metrics.ts';
import type { TailWaits } from '../src/records/tail-waits.ts';
import { createRateLimiter } from '../src/throttling/rate-limiter.ts';

const tenantId = '0d9a5c1e-7b34-4f2a-9e61-3c8b7f5d2a10';

export const testKey: KeyRecord = {
  keyId: 'key',
  name: 'key',
  scopes: ['logs:read'],
  organizationWide: false,
  boundTenantId: tenantId,
  selected: {
    id: tenantId,
    name: 'Own',
    azureTenantId: null,
    organizationId: null,
    apiAccess: true,
    suspended: false,
    connectedAtMs: 0,
    cell: 'default',
  },
  selectorMatches: null,
  tenants: null,
};

/** For tests of the timeouts themselves: on a busy machine any request can take as long. */
export const shortTimeouts = { headersMs: 300, requestMs: 600, sendMs: 400, keepAliveMs: 5_000, checkMs: 50 };

export interface TestAppOptions {
  /** Null: the key does not exist. Without it every key gives `testKey`. */
  readonly lookUp?: KeyDirectory['lookUp'];
  /** Without it no key was found before. */
  readonly findId?: GuardedKeys['findId'];
  readonly handlers?: Partial<Handlers>;
  readonly timeouts?: ConnectionTimeouts;
  readonly maxConnections?: number;
  readonly log?: Log;
  readonly keyUsage?: KeyUsageCounter;
  readonly logsAccess?: boolean;
  readonly trustedProxies?: readonly string[];
  readonly tailWaits?: Pick<TailWaits, 'begin'>;
  readonly findTailWaits?: (cell: string) => Pick<TailWaits, 'begin'>;
}

/** Listens with the public HTTP application; everything behind it is unavailable unless given. */
export async function startTestApp(options: TestAppOptions = {}) {
  const unavailable = async (): Promise<never> => {
    throw new StoreUnavailable('no store in this test');
  };
  const rateLimiter = createRateLimiter({ url: 'redis://127.0.0.1:1', options: {}, readLogin: () => ({}) });
  const metrics = createMetrics('api');
  const { fastify } = buildApp(
    {
      publicUrl: 'http://127.0.0.1/api/v1',
      trustedProxies: options.trustedProxies ?? [],
      allowedMcpOrigins: [],
      readPublishedKeys: async () => ({ keys: [] }),
      logsAccess: options.logsAccess ?? false,
      log: options.log ?? createLog({ name: 'api', level: 'silent' }),
      keys: {
        lookUp: options.lookUp ?? (async () => testKey),
        findId: options.findId ?? (() => null),
        findExisting: unavailable,
        addUsage: unavailable,
        findTimeZone: unavailable,
        ping: unavailable,
        [Symbol.asyncDispose]: async () => {},
      },
      handlers: {
        ...(Object.fromEntries(operations.map(({ name }) => [name, unavailable])) as Record<OperationName, never>),
        ...options.handlers,
      },
      rateLimiter,
      findTailWaits: options.findTailWaits ?? (() => options.tailWaits ?? { begin: () => null }),
      failedLogins: createFailedLoginLimit(),
      keyUsage: options.keyUsage ?? {
        attachKey: () => {},
        findKey: () => null,
        countResponse: () => {},
        [Symbol.asyncDispose]: async () => {},
      },
      metrics: registerMetrics(metrics),
    },
    options,
  );
  await fastify.listen({ host: '127.0.0.1', port: 0 });
  return {
    port: (fastify.server.address() as AddressInfo).port,
    metrics,
    countConnections: promisify(fastify.server.getConnections.bind(fastify.server)),
    async [Symbol.asyncDispose]() {
      await fastify.close();
      await rateLimiter[Symbol.asyncDispose]();
    },
  };
}
