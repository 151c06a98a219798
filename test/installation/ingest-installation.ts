import { afterAll } from 'vitest';
import { type Broker, connectBroker } from './broker.ts';
import { type DatabaseInspector, openDatabaseInspector } from './database-inspector.ts';
import { type Installation, startInstallation } from './installation.ts';
import type { ProductProcess } from './processes.ts';

export interface IngestInstallation {
  readonly installation: Installation;
  readonly broker: Broker;
  readonly inspector: DatabaseInspector;
  readonly ingest: ProductProcess;
  /** The topic of raw activity. */
  readonly topic: string;
}

/**
 * An installation that ingests what the tests of one file append, with a database inspector. It ends after all tests of the file that calls this at
 * its top level. A hook that is registered while another one runs is never called, so a caller in a hook gives the stack that ends it.
 */
export async function startIngestInstallation(owner?: AsyncDisposableStack): Promise<IngestInstallation> {
  await using started = new AsyncDisposableStack();
  const installation = started.use(await startInstallation());
  const broker = started.use(await connectBroker(installation.environment.TENANTSCOPE_KAFKA_BROKERS ?? ''));
  const inspector = started.use(await openDatabaseInspector(installation.database.superuser));
  const ingest = await installation.startIngest();
  const all = started.move();
  if (owner) owner.use(all);
  else afterAll(() => all.disposeAsync(), 60_000);
  return { installation, broker, inspector, ingest, topic: installation.activityTopic };
}
