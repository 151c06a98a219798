import { topicName, topics } from '@tenantscope/contract';
import { createBoundEnvelope } from '@tenantscope/intake';
import { createPartCache, type Ledger, type PartitionCache, type SourceBinding } from '@tenantscope/store/ingest';
import { createActivityProcessor } from './activity/activity-processor.ts';
import { createLogMerging } from './activity/log-merging.ts';
import type { PrincipalLoader } from './activity/principal-loader.ts';
import { createRecordBinder } from './binding/record-binder.ts';
import type { IngestMetrics } from './ingest-metrics.ts';
import type { ConsumedTopic } from './lane/consumed-topic.ts';
import { createRecordProcessor } from './record/record-processor.ts';
import { recordTopics } from './record/record-topics.ts';
import { createDirectoryProcessor } from './tenant/directory-processor.ts';
import type { TenantCache } from './tenant/tenant-cache.ts';

export interface ConsumedTopicsOptions {
  readonly prefix: string;
  readonly models: Ledger;
  /** Null: the records of tenants are read by the ingest of the cell default. */
  readonly control: Ledger | null;
  readonly partitions: PartitionCache;
  readonly principals: PrincipalLoader;
  readonly tenants: TenantCache;
  readonly metrics: IngestMetrics;
  readonly maxRecordBytes: number;
}

export interface ConsumedTopics {
  /** Every topic of the contract, with the ledger its lanes are stored in and the processor of its records. */
  readonly own: readonly ConsumedTopic[];
  /** A topic of a collector that is read as one of the contract; null where this version does not have the format. */
  bind(binding: SourceBinding): ConsumedTopic | null;
}

export function createConsumedTopics(options: ConsumedTopicsOptions): ConsumedTopics {
  const { prefix, models, control, partitions, principals, tenants, metrics, maxRecordBytes } = options;
  const parts = createPartCache();
  const own: readonly ConsumedTopic[] = [
    {
      name: topicName(prefix, topics.activity),
      source: topics.activity.suffix,
      ledger: models,
      createProcessor: (start) =>
        createActivityProcessor(
          { ledger: models, partitions, merging: createLogMerging(), principals, tenants, metrics },
          start,
        ),
    },
    ...(control === null
      ? []
      : [
          {
            name: topicName(prefix, topics.tenant),
            source: topics.tenant.suffix,
            ledger: control,
            createProcessor: () => createDirectoryProcessor({ ledger: control, tenants, metrics }),
          },
        ]),
    ...recordTopics.map(
      ({ topic, recordTopic, isFirstParty }): ConsumedTopic => ({
        name: topicName(prefix, topic),
        source: topic.suffix,
        ledger: models,
        createProcessor: (start) =>
          createRecordProcessor(
            {
              topic: recordTopic,
              deadLetterConflicts: isFirstParty,
              parts,
              ledger: models,
              tenants,
              metrics,
              maxRecordBytes,
            },
            start,
          ),
      }),
    ),
  ];
  return {
    own,
    bind(binding) {
      const envelope = createBoundEnvelope(binding, null);
      const readAs = own.find(({ source }) => envelope !== null && source === topics[envelope.topic].suffix);
      return readAs === undefined ? null : { ...readAs, name: binding.topic, bindRecord: createRecordBinder(binding) };
    },
  };
}
