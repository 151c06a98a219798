import { randomUUID } from 'node:crypto';
import { buildConsolePages, findFreePort, type LocalServices, startTemporaryServices } from '@tenantscope/local';
import { chromium } from 'playwright-core';
import { activityMessage, activityRecord } from '../../installation/activity-records.ts';
import { connectBroker } from '../../installation/broker.ts';
import { eventually } from '../../installation/eventually.ts';
import { type Installation, startInstallation } from '../../installation/installation.ts';
import { type ProductProcess, startProcess } from '../../installation/processes.ts';
import { openWindow, type Window, type WindowOptions } from './window.ts';

/** What can fail: a process of the product, or a service it depends on. */
export interface Part {
  /** Ends it without cleanup. */
  kill(): Promise<void>;
  /** It stays connected and does not respond. */
  hang(): void;
  /** It continues after `hang`. */
  resume(): void;
  /** Starts it again after `kill`, at the same address; resolves when it responds. */
  restart(): Promise<void>;
}

export type PartName = 'ingest' | 'api' | 'console' | 'postgres' | 'redis' | 'kafka';

/** The whole product as in production: each part is a separate process, on services of this test only. */
export interface FullStage extends AsyncDisposable {
  readonly origin: string;
  readonly parts: Readonly<Record<PartName, Part>>;
  readonly tenantIds: readonly string[];
  readonly key: { readonly id: string; readonly secret: string };
  /** Opens a window of an administrator. */
  open(options?: WindowOptions): Promise<Window>;
  /** Sends a request to the console, as a browser would. */
  request(path: string, body?: unknown): Promise<Response>;
}

const records = 30;

export async function startFullStage(chromiumPath: string): Promise<FullStage> {
  await using started = new AsyncDisposableStack();
  await buildConsolePages();
  const services = started.use(await startTemporaryServices());
  const running: Installation = started.use(await startInstallation(services));
  const { id: organizationId } = await running.admin.organizations.create({ name: 'Larkspur Group' });
  const tenantIds: string[] = [];
  for (const name of ['Contoso Ltd', 'Zażółć Gęślą Sp. z o.o.'])
    tenantIds.push((await running.admin.tenants.create({ name, organizationId, azureTenantId: randomUUID() })).id);
  const key = await running.admin.keys.create({
    name: 'Splunk bridge',
    scopes: ['logs:read'],
    owner: { tenantId: tenantIds[0] ?? '' },
    expiresAt: null,
  });

  const [apiPort, consolePort] = [await findFreePort(), await findFreePort()];
  const origin = `http://127.0.0.1:${consolePort}`;
  const environment = {
    ...running.environment,
    TENANTSCOPE_PORT: String(apiPort),
    TENANTSCOPE_PUBLIC_URL: `http://127.0.0.1:${apiPort}/api/v1`,
    TENANTSCOPE_CONSOLE_URL: origin,
    TENANTSCOPE_CONSOLE_PORT: String(consolePort),
    TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION: organizationId,
    TENANTSCOPE_CONSOLE_SECRET: randomUUID(),
  };
  const processes = {
    ingest: started.use(await startPart('ingest', environment)),
    api: started.use(await startPart('api', environment)),
    console: started.use(await startPart('console', environment)),
  };
  await publishRecords(running, services, tenantIds[0] ?? '');

  const browser = await chromium.launch({ executablePath: chromiumPath });
  started.defer(() => browser.close());
  const request = (path: string, body?: unknown, secret = '') =>
    fetch(`${origin}/console/api${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        Cookie: `sid=${secret}`,
        Origin: origin,
        'Sec-Fetch-Site': 'same-origin',
        'Content-Type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const signedIn = await request('/sign-in/demo', {});
  const secret = /sid=([\w-]+)/.exec(signedIn.headers.get('set-cookie') ?? '')?.[1];
  if (secret === undefined) throw new Error(`demo sign-in failed: ${await signedIn.text()}`);
  const all = started.move();
  return {
    origin,
    parts: {
      ...processes,
      postgres: partOf(services.postgresService),
      redis: partOf(services.redisService),
      kafka: partOf(services.kafkaService),
    },
    tenantIds,
    key,
    open: (options = {}) => openWindow(browser, origin, secret, { ...options, expectsOutages: true }),
    request: (path, body) => request(path, body, secret),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function startPart(
  name: 'ingest' | 'api' | 'console',
  environment: Record<string, string>,
): Promise<Part & AsyncDisposable> {
  let process: ProductProcess = await startProcess(name, environment);
  return {
    async kill() {
      process.kill('SIGKILL');
      await process.gone;
    },
    hang: () => process.kill('SIGSTOP'),
    resume: () => process.kill('SIGCONT'),
    async restart() {
      process = await startProcess(name, environment);
    },
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  };
}

const partOf = (service: LocalServices['kafkaService']): Part => ({
  kill: () => service.kill(),
  hang: () => service.pause(),
  resume: () => service.resume(),
  restart: () => service.restart(),
});

/** Publishes audit records and one malformed record. */
async function publishRecords(running: Installation, services: LocalServices, tenantId: string): Promise<void> {
  await using broker = await connectBroker(services.kafka);
  await broker.append(running.activityTopic, 0, [
    ...Array.from({ length: records }, (_, number) => activityMessage(tenantId, activityRecord(number))),
    activityMessage(tenantId, '{"torn": '),
  ]);
  await eventually('the records are ingested', 30_000, async () => {
    const { deadLetters } = await running.admin.status();
    return deadLetters.pending.length > 0;
  });
}
