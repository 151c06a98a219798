import { buildConsolePages } from '@tenantscope/local';
import type { Role } from '@tenantscope/store/console';
import { chromium } from 'playwright-core';
import { type Broker, connectBroker } from '../../installation/broker.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../../installation/database-inspector.ts';
import { type Installation, startInstallation } from '../../installation/installation.ts';
import type { ProductProcess } from '../../installation/processes.ts';
import { createTestConsole, type TestConsole } from '../test-console.ts';
import { openWindow, type Window, type WindowOptions } from './window.ts';

/** The console in a browser, with real ingest that the test stops and starts. */
export interface LiveStage extends AsyncDisposable {
  readonly running: Installation;
  readonly testConsole: TestConsole;
  readonly broker: Broker;
  readonly inspector: DatabaseInspector;
  readonly ingest: ProductProcess;
  startIngest(): Promise<void>;
  stopIngest(): Promise<void>;
  open(role: Role, options?: WindowOptions, tenantIds?: readonly string[]): Promise<Window>;
}

export async function startLiveStage(chromiumPath: string): Promise<LiveStage> {
  await using started = new AsyncDisposableStack();
  await buildConsolePages();
  const running = started.use(await startInstallation());
  const api = await running.startApi();
  const testConsole = started.use(
    await createTestConsole({ TENANTSCOPE_PUBLIC_URL: api.baseUrl }, { lent: running.database }),
  );
  const inspector = started.use(await openDatabaseInspector(running.database.superuser));
  const broker = started.use(await connectBroker(running.environment.TENANTSCOPE_KAFKA_BROKERS ?? ''));
  const browser = await chromium.launch({ executablePath: chromiumPath });
  started.defer(() => browser.close());
  let ingest = await running.startIngest();
  const all = started.move();
  return {
    running,
    testConsole,
    broker,
    inspector,
    get ingest() {
      return ingest;
    },
    async startIngest() {
      ingest = await running.startIngest();
    },
    async stopIngest() {
      await ingest[Symbol.asyncDispose]();
    },
    async open(role, options = {}, tenantIds) {
      const { secret } = await testConsole.signIn(role, tenantIds);
      return openWindow(browser, testConsole.origin, secret, options);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
