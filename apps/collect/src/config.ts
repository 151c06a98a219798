import {
  databaseUrl,
  kafkaVariables,
  port,
  postgresVariables,
  processVariables,
  topicVariables,
  variable,
} from '@tenantscope/runtime';
import { z } from 'zod';

/** The environment variables of collect. The secrets of providers are in the files that `tenantscope collector create` names. */
export const collectConfig = z.object({
  TENANTSCOPE_COLLECT_DATABASE_URL: databaseUrl('Control database, login tenantscope_collect.'),
  ...postgresVariables,
  ...kafkaVariables,
  ...topicVariables,
  TENANTSCOPE_COLLECT_CONCURRENCY: variable(
    'Streams that this process collects in parallel; each needs up to 200 MiB in the worst case.',
    z.coerce.number().int().min(1).max(64).default(4),
  ),
  TENANTSCOPE_COLLECT_LEASE_SECONDS: variable(
    'Seconds after which another process continues the streams of a killed one.',
    z.coerce.number().min(1).max(600).default(60),
  ),
  TENANTSCOPE_COLLECT_REQUEST_SECONDS: variable(
    'Seconds within which a provider must have sent a whole response.',
    z.coerce.number().min(1).max(600).default(60),
  ),
  TENANTSCOPE_HEALTH_PORT: port('Port of /livez, /readyz and /metrics.', 9490),
  ...processVariables,
});
