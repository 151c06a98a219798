import type { Log } from '@tenantscope/runtime';
import type { Ledger } from '@tenantscope/store/ingest';
import type { IngestMetrics } from '../ingest-metrics.ts';
import type { KafkaReaderOptions, KafkaRecord } from '../kafka/kafka-reader.ts';
import type { BreakerStart } from './breaker.ts';
import type { LaneProcessor } from './lane-pipeline.ts';

/** A topic that is read, where the positions of its lanes are stored, and how its records are processed. */
export interface ConsumedTopic {
  name: string;
  source: string;
  ledger: Ledger;
  createProcessor(start: BreakerStart): LaneProcessor<unknown>;
  /** Gives a record the envelope of the topic's source binding; absent of topics whose records have their own. */
  bindRecord?(record: KafkaRecord): KafkaRecord;
}

export interface ConsumerOptions {
  kafka: Omit<KafkaReaderOptions, 'topics' | 'log'>;
  topics: readonly ConsumedTopic[];
  /** The database of operators' requests. */
  control: Ledger;
  metrics: IngestMetrics;
  log: Log;
  /** Ends the process: called for an error from which it cannot recover. */
  crashed(error: unknown): void;
}
