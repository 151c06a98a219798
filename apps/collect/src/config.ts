import { databaseUrl, kafkaVariables, postgresVariables } from '@tenantscope/runtime';
import { z } from 'zod';

/**
 * Environment variables of collect, besides those of `postgresVariables` and `kafkaVariables`. A secret may be in a file: NAME_FILE. The secrets of
 * providers are in the files that `tenantscope collector create` names.
 *
 * TENANTSCOPE_COLLECT_DATABASE_URL          control database, login tenantscope_collect
 * TENANTSCOPE_TOPIC_PREFIX                  prefix of topics (tenantscope)
 * TENANTSCOPE_COLLECT_CONCURRENCY           streams that this process collects in parallel (4); each needs up to 200 MiB in the worst case
 * TENANTSCOPE_COLLECT_LEASE_SECONDS         time after which another process continues the streams of a killed one (60)
 * TENANTSCOPE_COLLECT_REQUEST_SECONDS       time within which a provider must have sent a whole response (60)
 * TENANTSCOPE_HOST, TENANTSCOPE_HEALTH_PORT address of /livez, /readyz and /metrics (127.0.0.1, 9490)
 * TENANTSCOPE_LOG_LEVEL                     trace … fatal (info)
 */
export const collectConfig = z.object({
  TENANTSCOPE_COLLECT_DATABASE_URL: databaseUrl(),
  ...postgresVariables,
  ...kafkaVariables,
  TENANTSCOPE_TOPIC_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,200}$/, 'must consist of alphanumeric characters, dots, hyphens and underscores')
    .default('tenantscope'),
  TENANTSCOPE_COLLECT_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(4),
  TENANTSCOPE_COLLECT_LEASE_SECONDS: z.coerce.number().min(1).max(600).default(60),
  TENANTSCOPE_COLLECT_REQUEST_SECONDS: z.coerce.number().min(1).max(600).default(60),
  TENANTSCOPE_HOST: z.string().default('127.0.0.1'),
  TENANTSCOPE_HEALTH_PORT: z.coerce.number().int().min(0).max(65_535).default(9_490),
  TENANTSCOPE_LOG_LEVEL: z.string().default('info'),
});
