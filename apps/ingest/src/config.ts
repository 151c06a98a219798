import {
  databaseUrl,
  kafkaClusterVariables,
  kafkaVariables,
  optionalDatabaseUrl,
  ownCellVariable,
  port,
  postgresVariables,
  processVariables,
  topicVariables,
  traceVariables,
  variable,
} from '@tenantscope/runtime';
import { z } from 'zod';

/** The environment variables of ingest. */
export const ingestConfig = z.object({
  ...kafkaVariables,
  ...kafkaClusterVariables,
  ...topicVariables,
  ...ownCellVariable,
  TENANTSCOPE_CONSUMER_GROUP: variable(
    'Kafka consumer group. By default <topic prefix>.ingest.',
    z.string().optional(),
  ),
  TENANTSCOPE_INGEST_DATABASE_URL: databaseUrl('Read models, login tenantscope_ingest.'),
  TENANTSCOPE_INGEST_CONTROL_DATABASE_URL: optionalDatabaseUrl(
    'Control database, same login. By default the database of the read models.',
  ),
  ...postgresVariables,
  TENANTSCOPE_INGEST_WORKERS: variable(
    'Worker threads that normalise records; with 0 the main thread does.',
    z.coerce.number().int().min(0).max(16).default(1),
  ),
  TENANTSCOPE_INGEST_MAX_RECORD_BYTES: variable(
    'Larger records, in bytes, are dead-lettered as TOO_LARGE.',
    z.coerce.number().int().positive().default(1_048_576),
  ),
  TENANTSCOPE_DEAD_LETTER_RETENTION_DAYS: variable(
    'Decided dead letters are deleted after this many days; pending ones never.',
    z.coerce.number().int().min(30).max(36_500).default(90),
  ),
  TENANTSCOPE_INGEST_MAX_BATCH_BYTES: variable(
    'Decompressed size of a Kafka batch, in bytes; a larger one stops its lane.',
    z.coerce.number().int().min(65_536).default(33_554_432),
  ),
  TENANTSCOPE_HEALTH_PORT: port('Port of /livez, /readyz and /metrics.', 9465),
  ...traceVariables,
  ...processVariables,
});

export type IngestConfig = z.infer<typeof ingestConfig>;
