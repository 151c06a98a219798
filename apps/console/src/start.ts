import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createMetrics, type Log, serveHealth } from '@tenantscope/runtime';
import { connectConsole } from '@tenantscope/store';
import { pulseOf } from './api-pulse.ts';
import type { ConsoleConfig } from './config.ts';
import type { Console } from './console.ts';
import { sessionCookie } from './cookie.ts';
import { listenAtSecondLoopback } from './localhost.ts';
import { paceOf } from './pace.ts';
import { keepPlaygroundKeys } from './playground-keys.ts';
import { sealFor } from './seal.ts';
import { buildServer } from './server.ts';
import { identityProvider } from './sign-in/identity-provider.ts';
import { passkeysOf } from './sign-in/passkeys.ts';
import { roundsOf } from './sign-in/rounds.ts';

/** Twice what the api allows one key: its budget, which says when it is full again, is what somebody meets first. */
const runsPerMinute = 1_200;

export interface RunningConsole extends AsyncDisposable {
  readonly port: number;
  readonly healthPort: number;
}

/** Starts the console and answers when it listens. Throws StoreUnavailable where the database does not answer. */
export async function startConsole(config: ConsoleConfig, log: Log): Promise<RunningConsole> {
  await using stack = new AsyncDisposableStack();
  const models = config.TENANTSCOPE_ADMIN_DATABASE_URL;
  const control = config.TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL ?? models;
  const store = stack.use(await connectConsole({ models, control }));
  await store.ping();
  const publicUrl = config.TENANTSCOPE_PUBLIC_URL;
  const apiUrl = config.TENANTSCOPE_CONSOLE_API_URL ?? publicUrl;
  const origin = config.TENANTSCOPE_CONSOLE_URL;
  // Without one nobody signs in whose secrets would have to be read again after a restart.
  const secret = config.TENANTSCOPE_CONSOLE_SECRET ?? randomBytes(32).toString('base64url');
  const cookies = sealFor('cookies', secret);
  const console: Console = {
    origin,
    api: { publicUrl, url: apiUrl, answers: pulseOf(apiUrl) },
    demoOrganizationId: config.TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION ?? null,
    hasLocalSignIn: config.TENANTSCOPE_CONSOLE_LOCAL_SIGN_IN === 'on',
    identityProvider: identityProvider(config),
    rounds: roundsOf(origin, cookies),
    passkeys: passkeysOf(origin, cookies, store),
    seal: sealFor('authenticators', secret),
    trustedProxies: config.TENANTSCOPE_TRUSTED_PROXIES,
    store,
    cookie: sessionCookie(origin),
    paceRun: paceOf(runsPerMinute),
    playgroundKeys: keepPlaygroundKeys(store),
    log,
  };
  const fastify = await buildServer(console);
  const health = stack.use(
    await serveHealth({
      host: config.TENANTSCOPE_HOST,
      port: config.TENANTSCOPE_HEALTH_PORT,
      live: () => true,
      async ready() {
        await store.ping();
        return true;
      },
      registry: createMetrics().registry,
    }),
  );
  await fastify.listen({
    host: config.TENANTSCOPE_HOST,
    port: config.TENANTSCOPE_CONSOLE_PORT,
    listenTextResolver: (address) => `answering at ${address}, health on port ${health.port}`,
  });
  stack.defer(() => fastify.close());
  const { port } = fastify.server.address() as AddressInfo;
  if (config.TENANTSCOPE_HOST === '127.0.0.1' && new URL(origin).hostname === 'localhost')
    stack.use(await listenAtSecondLoopback(fastify, port, log));
  const running = stack.move();
  return {
    port,
    healthPort: health.port,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
