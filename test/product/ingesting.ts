import { afterAll } from 'vitest';
import { type Broker, connectBroker } from './broker.ts';
import { type Looking, lookInto } from './looking.ts';
import type { ProductProcess } from './processes.ts';
import { type Product, product } from './product.ts';

export interface Ingesting {
  readonly running: Product;
  readonly broker: Broker;
  readonly looking: Looking;
  readonly ingest: ProductProcess;
  /** Of raw activity. */
  readonly topic: string;
}

/** A product that takes in what the tests of one file append, and eyes on what it wrote. */
export async function ingestingProduct(): Promise<Ingesting> {
  await using started = new AsyncDisposableStack();
  const running = started.use(await product());
  const broker = started.use(await connectBroker(running.environment.TENANTSCOPE_KAFKA_BROKERS ?? ''));
  const looking = started.use(await lookInto(running.database.superuser));
  const ingest = await running.startIngest();
  const all = started.move();
  afterAll(() => all.disposeAsync(), 60_000);
  return { running, broker, looking, ingest, topic: running.activityTopic };
}
