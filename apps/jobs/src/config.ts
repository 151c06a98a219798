import {
  databaseUrl,
  kafkaVariables,
  optionalDatabaseUrl,
  postgresVariables,
  redisVariables,
  secret,
} from '@tenantscope/runtime';
import { z } from 'zod';

/**
 * Environment variables of jobs, besides those of `postgresVariables` and `redisVariables`. A secret may be in a file: NAME_FILE. Redis must not
 * evict (maxmemory-policy noeviction).
 *
 * TENANTSCOPE_JOBS_DATABASE_URL             read models, login tenantscope_jobs
 * TENANTSCOPE_JOBS_CONTROL_DATABASE_URL     control database, same login (the read models' URL)
 * TENANTSCOPE_KAFKA_BROKERS                 with the rest of `kafkaVariables`: the ends of lanes' logs are measured here too, for those whose ingest process hangs (not measured here)
 * TENANTSCOPE_JOBS_QUEUE_PREFIX             prefix of keys in Redis (tenantscope)
 * TENANTSCOPE_JOBS_CONCURRENCY              snapshots that this process takes in parallel (4)
 * TENANTSCOPE_JOBS_RECONCILE_SECONDS        interval of the comparison of due and taken snapshots (60)
 * TENANTSCOPE_JOBS_DIRECT_AFTER_SECONDS     time after which overdue jobs are executed without the queue (600)
 * TENANTSCOPE_SNAPSHOT_DUE_MINUTES          time from a week's start until its snapshot is due (180)
 * TENANTSCOPE_SNAPSHOT_SPREAD_MINUTES       time over which tenants with the same due time are spread (30)
 * TENANTSCOPE_SIGNING_KEY                   private Ed25519 key that signs digests: JWK, PEM or the path of a file (digests are not signed)
 * TENANTSCOPE_HOST, TENANTSCOPE_HEALTH_PORT address of /livez, /readyz and /metrics (127.0.0.1, 9470)
 * TENANTSCOPE_LOG_LEVEL                     trace … fatal (info)
 */
export const jobsConfig = z.object({
  TENANTSCOPE_JOBS_DATABASE_URL: databaseUrl(),
  TENANTSCOPE_JOBS_CONTROL_DATABASE_URL: optionalDatabaseUrl(),
  ...postgresVariables,
  ...redisVariables,
  ...kafkaVariables,
  TENANTSCOPE_KAFKA_BROKERS: kafkaVariables.TENANTSCOPE_KAFKA_BROKERS.optional(),
  TENANTSCOPE_JOBS_QUEUE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,100}$/, 'must contain only A-Z, a-z, 0-9, dots, hyphens and underscores')
    .default('tenantscope'),
  TENANTSCOPE_JOBS_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(4),
  TENANTSCOPE_JOBS_RECONCILE_SECONDS: z.coerce.number().positive().max(3_600).default(60),
  TENANTSCOPE_JOBS_DIRECT_AFTER_SECONDS: z.coerce.number().min(0).max(86_400).default(600),
  TENANTSCOPE_SNAPSHOT_DUE_MINUTES: z.coerce.number().min(0).max(10_079).default(180),
  TENANTSCOPE_SNAPSHOT_SPREAD_MINUTES: z.coerce.number().min(0).max(1_440).default(30),
  TENANTSCOPE_SIGNING_KEY: secret(z.string().optional()),
  TENANTSCOPE_HOST: z.string().default('127.0.0.1'),
  TENANTSCOPE_HEALTH_PORT: z.coerce.number().int().min(0).max(65_535).default(9_470),
  TENANTSCOPE_LOG_LEVEL: z.string().default('info'),
});

export type JobsConfig = z.infer<typeof jobsConfig>;
