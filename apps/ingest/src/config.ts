import { databaseUrl, kafkaVariables, optionalDatabaseUrl, postgresVariables } from '@tenantscope/runtime';
import { z } from 'zod';

/**
 * Environment variables of ingest, besides those of `kafkaVariables` and `postgresVariables`. A secret may be in a file: NAME_FILE.
 *
 * TENANTSCOPE_TOPIC_PREFIX                  prefix of topic names (tenantscope)
 * TENANTSCOPE_CONSUMER_GROUP                Kafka consumer group (<topic prefix>.ingest)
 * TENANTSCOPE_INGEST_DATABASE_URL           read models, login tenantscope_ingest
 * TENANTSCOPE_INGEST_CONTROL_DATABASE_URL   control database, same login (the read models' URL)
 * TENANTSCOPE_INGEST_WORKERS                worker threads that normalise records; 0: the main thread does (1)
 * TENANTSCOPE_INGEST_MAX_RECORD_BYTES       larger records are dead-lettered as TOO_LARGE (1048576)
 * TENANTSCOPE_DEAD_LETTER_RETENTION_DAYS    decided dead letters are deleted after this many days, at least 30; pending ones never (90)
 * TENANTSCOPE_INGEST_MAX_BATCH_BYTES        decompressed size of a Kafka batch; a larger one stops its lane (33554432)
 * TENANTSCOPE_HOST, TENANTSCOPE_HEALTH_PORT address of /livez, /readyz and /metrics (127.0.0.1, 9465)
 * TENANTSCOPE_LOG_LEVEL                     trace … fatal (info)
 */
export const ingestConfig = z.object({
  ...kafkaVariables,
  TENANTSCOPE_TOPIC_PREFIX: z.string().default('tenantscope'),
  TENANTSCOPE_CONSUMER_GROUP: z.string().optional(),
  TENANTSCOPE_INGEST_DATABASE_URL: databaseUrl(),
  TENANTSCOPE_INGEST_CONTROL_DATABASE_URL: optionalDatabaseUrl(),
  ...postgresVariables,
  TENANTSCOPE_INGEST_WORKERS: z.coerce.number().int().min(0).max(16).default(1),
  TENANTSCOPE_INGEST_MAX_RECORD_BYTES: z.coerce.number().int().positive().default(1_048_576),
  TENANTSCOPE_DEAD_LETTER_RETENTION_DAYS: z.coerce.number().int().min(30).max(36_500).default(90),
  TENANTSCOPE_INGEST_MAX_BATCH_BYTES: z.coerce.number().int().min(65_536).default(33_554_432),
  TENANTSCOPE_HOST: z.string().default('127.0.0.1'),
  TENANTSCOPE_HEALTH_PORT: z.coerce.number().int().min(0).max(65_535).default(9_465),
  TENANTSCOPE_LOG_LEVEL: z.string().default('info'),
});

export type IngestConfig = z.infer<typeof ingestConfig>;
