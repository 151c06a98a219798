import { buildConsolePages } from '@tenantscope/local';
import type { Role } from '@tenantscope/store/console';
import { chromium } from 'playwright-core';
import { type Broker, connectBroker } from '../../installation/broker.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../../installation/database-inspector.ts';
import { type Installation, startInstallation } from '../../installation/installation.ts';
import type { ProductProcess } from '../../installation/processes.ts';
import { createTestConsole, type TestConsole } from '../test-console.ts';
import { openWindow, type Window, type WindowOptions } from './window.ts';

/** The console in a browser beside real ingestion, which the test stops and starts. */
export interface LiveStage extends AsyncDisposable {
  readonly running: Installation;
  readonly visited: TestConsole;
  readonly broker: Broker;
  readonly looking: DatabaseInspector;
  readonly ingest: ProductProcess;
  startIngest(): Promise<void>;
  stopIngest(): Promise<void>;
  open(role: Role, options?: WindowOptions, tenantIds?: readonly string[]): Promise<Window>;
}

export async function liveStage(chromiumPath: string): Promise<LiveStage> {
  await using started = new AsyncDisposableStack();
  await buildConsolePages();
  const running = started.use(await startInstallation());
  const api = await running.startApi();
  const visited = started.use(
    await createTestConsole({ TENANTSCOPE_PUBLIC_URL: api.baseUrl }, { lent: running.database }),
  );
  const looking = started.use(await openDatabaseInspector(running.database.superuser));
  const broker = started.use(await connectBroker(running.environment.TENANTSCOPE_KAFKA_BROKERS ?? ''));
  const browser = await chromium.launch({ executablePath: chromiumPath });
  started.defer(() => browser.close());
  let ingest = await running.startIngest();
  const all = started.move();
  return {
    running,
    visited,
    broker,
    looking,
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
      const { secret } = await visited.signIn(role, tenantIds);
      return openWindow(browser, visited.origin, secret, options);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
