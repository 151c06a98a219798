import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMetrics, type Log, readCells, serveHealth } from '@tenantscope/runtime';
import { registerProcess } from '@tenantscope/store/connection';
import { connectConsole } from '@tenantscope/store/console';
import type { ConsoleConfig } from './config.ts';
import type { Console } from './console.ts';
import { createConsoleMetrics } from './console-metrics.ts';
import { listenAtSecondLoopback } from './http/ipv6-loopback.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { buildServer } from './http/server.ts';
import { createSessionCookie } from './http/session-cookie.ts';
import { createApiHealthCheck } from './playground/api-health.ts';
import { createPlaygroundKeys } from './playground/playground-keys.ts';
import { createSeal } from './seal.ts';
import { createIdentityProvider } from './sign-in/identity-provider.ts';
import { createOidcState } from './sign-in/oidc-state.ts';
import { createRecognizedDevice } from './sign-in/recognized-device.ts';
import { createWebAuthn } from './sign-in/webauthn.ts';

/** Twice what the API allows one key: its rate limit, which reports when it resets, is reached first. */
const runsPerMinute = 1_200;

export interface RunningConsole extends AsyncDisposable {
  readonly port: number;
  readonly healthPort: number;
}

/** Starts the console; resolves when it listens. Disposing serves requests for the drain time, in which /readyz fails, then closes. Throws, naming the variables, when a database does not respond. */
export async function startConsole(config: ConsoleConfig, log: Log): Promise<RunningConsole> {
  await using stack = new AsyncDisposableStack();
  const models = config.TENANTSCOPE_CONSOLE_DATABASE_URL;
  const control = config.TENANTSCOPE_CONSOLE_CONTROL_DATABASE_URL ?? models;
  const controlVariable = config.TENANTSCOPE_CONSOLE_CONTROL_DATABASE_URL
    ? 'TENANTSCOPE_CONSOLE_CONTROL_DATABASE_URL'
    : 'TENANTSCOPE_CONSOLE_DATABASE_URL';
  // Either database may be the one that does not respond.
  const variables = [...new Set([controlVariable, 'TENANTSCOPE_CONSOLE_DATABASE_URL'])].join(', ');
  const nameVariables = (error: Error): never => {
    throw new Error(`${error.message} (${variables})`, { cause: error });
  };
  const store = stack.use(
    await connectConsole({ models, control, cells: readCells(config, models) }).catch(nameVariables),
  );
  await store.ping().catch(nameVariables);
  const publicUrl = config.TENANTSCOPE_PUBLIC_URL;
  const apiUrl = config.TENANTSCOPE_CONSOLE_API_URL ?? publicUrl;
  const origin = config.TENANTSCOPE_CONSOLE_URL;
  // Without one only the demo sign-in exists, which stores no secret that a restart would have to decrypt.
  const secret = config.TENANTSCOPE_CONSOLE_SECRET ?? randomBytes(32).toString('base64url');
  const cookies = createSeal('cookies', secret);
  const metrics = createMetrics('console');
  const console: Console = {
    origin,
    api: { publicUrl, url: apiUrl, isResponding: createApiHealthCheck(apiUrl) },
    demoOrganizationId: config.TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION ?? null,
    hasLocalSignIn: config.TENANTSCOPE_CONSOLE_LOCAL_SIGN_IN === 'on',
    identityProvider: createIdentityProvider(config),
    oidcState: createOidcState(origin, cookies),
    webAuthn: createWebAuthn(origin, cookies, store),
    recognizedDevice: createRecognizedDevice(origin, cookies),
    seal: createSeal('authenticators', secret),
    trustedProxies: config.TENANTSCOPE_TRUSTED_PROXIES,
    store,
    cookie: createSessionCookie(origin),
    limitRuns: createRateLimit(runsPerMinute),
    playgroundKeys: createPlaygroundKeys(store),
    metrics: createConsoleMetrics(metrics),
    log,
  };
  const fastify = await buildServer(console);
  let stopping = false;
  const health = stack.use(
    await serveHealth({
      host: config.TENANTSCOPE_HOST,
      port: config.TENANTSCOPE_HEALTH_PORT,
      live: () => true,
      async ready() {
        if (stopping) return 'stopping';
        await store.ping();
        return true;
      },
      metrics,
    }),
  );
  await fastify.listen({
    host: config.TENANTSCOPE_HOST,
    port: config.TENANTSCOPE_CONSOLE_PORT,
    listenTextResolver: (address) => `listening at ${address}; health on port ${health.port}`,
  });
  stack.defer(() => fastify.close());
  stack.use(
    registerProcess({
      app: 'console',
      url: control,
      variable: controlVariable,
      failed: (message, error) => log.warn({ err: error }, message),
    }),
  );
  const { port } = fastify.server.address() as AddressInfo;
  if (config.TENANTSCOPE_HOST === '127.0.0.1' && new URL(origin).hostname === 'localhost')
    stack.use(await listenAtSecondLoopback(fastify, { origin, port }, log));
  const running = stack.move();
  return {
    port,
    healthPort: health.port,
    async [Symbol.asyncDispose]() {
      stopping = true;
      await sleep(config.TENANTSCOPE_DRAIN_MS);
      await running.disposeAsync();
    },
  };
}
