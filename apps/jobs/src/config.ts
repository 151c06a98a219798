import {
  databaseUrl,
  kafkaClusterVariables,
  kafkaVariables,
  optionalDatabaseUrl,
  ownCellVariable,
  port,
  postgresVariables,
  processVariables,
  redisVariables,
  secret,
  topicVariables,
  variable,
} from '@tenantscope/runtime';
import { z } from 'zod';

/** The environment variables of jobs. Redis must not evict (maxmemory-policy noeviction). */
const variables = z.object({
  TENANTSCOPE_JOBS_DATABASE_URL: databaseUrl('Read models, login tenantscope_jobs.'),
  TENANTSCOPE_JOBS_CONTROL_DATABASE_URL: optionalDatabaseUrl(
    'Control database, same login. By default the database of the read models.',
  ),
  ...postgresVariables,
  ...redisVariables,
  ...kafkaVariables,
  ...kafkaClusterVariables,
  ...topicVariables,
  ...ownCellVariable,
  TENANTSCOPE_KAFKA_BROKERS: variable(
    "Kafka brokers: host:port, several separated by commas. Where set, the ends of lanes' logs are measured here too, for lanes whose ingest process hangs.",
    kafkaVariables.TENANTSCOPE_KAFKA_BROKERS.optional(),
  ),
  TENANTSCOPE_JOBS_QUEUE_PREFIX: variable(
    'Prefix of keys in Redis. A further cell appends its name.',
    z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,100}$/, 'must contain only A-Z, a-z, 0-9, dots, hyphens and underscores')
      .default('tenantscope'),
  ),
  TENANTSCOPE_JOBS_CONCURRENCY: variable(
    'Snapshots that this process takes in parallel.',
    z.coerce.number().int().min(1).max(64).default(4),
  ),
  TENANTSCOPE_JOBS_RECONCILE_SECONDS: variable(
    'Seconds between comparisons of due and taken snapshots.',
    z.coerce.number().positive().max(3_600).default(60),
  ),
  TENANTSCOPE_JOBS_INLINE_AFTER_SECONDS: variable(
    'Seconds after which overdue jobs are executed inline, without the queue.',
    z.coerce.number().min(0).max(86_400).default(600),
  ),
  TENANTSCOPE_SNAPSHOT_DUE_MINUTES: variable(
    "Minutes from a week's start until its snapshot is due.",
    z.coerce.number().min(0).max(10_079).default(180),
  ),
  TENANTSCOPE_SNAPSHOT_SPREAD_MINUTES: variable(
    'Minutes over which tenants with the same due time are spread.',
    z.coerce.number().min(0).max(1_440).default(30),
  ),
  TENANTSCOPE_SIGNING_KEY: secret(
    'Private Ed25519 key that signs digests of snapshots: JWK or PKCS #8 PEM. By default digests are not signed.',
    z.string().optional(),
  ),
  TENANTSCOPE_CANARY_TENANT_ID: variable(
    'Id of a tenant that only the canary writes (docs/operations/canary.md). By default there is no canary.',
    z.guid().optional(),
  ),
  TENANTSCOPE_CANARY_API_URL: variable(
    'Base URL at which the canary polls the API. It ends in /api/v1.',
    z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
  ),
  TENANTSCOPE_CANARY_API_KEY: secret("Key of the canary's tenant with the scope logs:read.", z.string().optional()),
  TENANTSCOPE_CANARY_INTERVAL_SECONDS: variable(
    'Seconds between records of the canary, and between its requests.',
    z.coerce.number().min(0.1).max(60).default(1),
  ),
  TENANTSCOPE_HEALTH_PORT: port('Port of /livez, /readyz and /metrics.', 9470),
  ...processVariables,
});

export const jobsConfig = variables.refine(
  (config) => {
    const { TENANTSCOPE_CANARY_TENANT_ID: tenantId, TENANTSCOPE_CANARY_API_KEY: key } = config;
    const parts = [tenantId, key, config.TENANTSCOPE_CANARY_API_URL];
    const given = parts.filter((part) => part !== undefined).length;
    return given === 0 || (given === parts.length && config.TENANTSCOPE_KAFKA_BROKERS !== undefined);
  },
  {
    path: ['TENANTSCOPE_CANARY_TENANT_ID'],
    message: 'the canary needs a tenant, the URL of the API, a key and TENANTSCOPE_KAFKA_BROKERS',
  },
);

export type JobsConfig = z.infer<typeof jobsConfig>;
