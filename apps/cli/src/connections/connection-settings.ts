import {
  databaseUrl,
  type KafkaConnection,
  kafkaVariables,
  optionalDatabaseUrl,
  postgresVariables,
  readConfig,
  readKafkaConnection,
} from '@tenantscope/runtime';
import { z } from 'zod';
import type { Environment } from './environment.ts';

/*
 * Environment variables, read by the commands that need them:
 *   TENANTSCOPE_ADMIN_DATABASE_URL, TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL (by default the first)   all but migrate
 *   TENANTSCOPE_KAFKA_*, TENANTSCOPE_TOPIC_PREFIX                                                    migrate, import, replay
 *   TENANTSCOPE_OWNER_DATABASE_URL, TENANTSCOPE_OWNER_CONTROL_DATABASE_URL (by default the first),
 *   and one URL for each login that migrations create                                                  migrate
 *   TENANTSCOPE_POSTGRES_SSL*, TENANTSCOPE_ALLOW_PLAINTEXT                                           all
 */

const admin = z.object({
  TENANTSCOPE_ADMIN_DATABASE_URL: databaseUrl(),
  TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL: optionalDatabaseUrl(),
  ...postgresVariables,
});

const kafka = z.object({
  ...kafkaVariables,
  TENANTSCOPE_TOPIC_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,200}$/, 'must consist of alphanumeric characters, dots, hyphens and underscores')
    .default('tenantscope'),
});

const migration = z.object({
  TENANTSCOPE_OWNER_DATABASE_URL: databaseUrl(),
  TENANTSCOPE_OWNER_CONTROL_DATABASE_URL: optionalDatabaseUrl(),
  TENANTSCOPE_API_DATABASE_URL: databaseUrl(),
  TENANTSCOPE_KEYS_DATABASE_URL: databaseUrl(),
  TENANTSCOPE_INGEST_DATABASE_URL: databaseUrl(),
  TENANTSCOPE_ADMIN_DATABASE_URL: databaseUrl(),
  TENANTSCOPE_CONSOLE_DATABASE_URL: databaseUrl(),
  TENANTSCOPE_JOBS_DATABASE_URL: databaseUrl(),
  TENANTSCOPE_COLLECT_DATABASE_URL: databaseUrl(),
  ...postgresVariables,
});

export interface KafkaSettings {
  readonly connection: KafkaConnection;
  readonly topicPrefix: string;
}

/** Everything that `tenantscope migrate` reads. */
export const migrationConfig = z.object({ ...migration.shape, ...kafka.shape });

export function readAdminUrls(environment: Environment): { models: string; control: string } {
  const read = readConfig(admin, { ...environment });
  const models = read.TENANTSCOPE_ADMIN_DATABASE_URL;
  return { models, control: read.TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL ?? models };
}

export function readKafkaSettings(environment: Environment): KafkaSettings {
  const read = readConfig(kafka, { ...environment });
  return { connection: readKafkaConnection(read, environment), topicPrefix: read.TENANTSCOPE_TOPIC_PREFIX };
}

/** For commands that need no broker. */
export function readTopicPrefix(environment: Environment): string {
  const { TENANTSCOPE_TOPIC_PREFIX } = kafka.shape;
  return readConfig(z.object({ TENANTSCOPE_TOPIC_PREFIX }), { ...environment }).TENANTSCOPE_TOPIC_PREFIX;
}

export function readMigrationUrls(environment: Environment) {
  const read = readConfig(migration, { ...environment });
  return {
    owner: read.TENANTSCOPE_OWNER_DATABASE_URL,
    controlOwner: read.TENANTSCOPE_OWNER_CONTROL_DATABASE_URL ?? read.TENANTSCOPE_OWNER_DATABASE_URL,
    roles: {
      api: read.TENANTSCOPE_API_DATABASE_URL,
      keys: read.TENANTSCOPE_KEYS_DATABASE_URL,
      ingest: read.TENANTSCOPE_INGEST_DATABASE_URL,
      admin: read.TENANTSCOPE_ADMIN_DATABASE_URL,
      console: read.TENANTSCOPE_CONSOLE_DATABASE_URL,
      jobs: read.TENANTSCOPE_JOBS_DATABASE_URL,
      collect: read.TENANTSCOPE_COLLECT_DATABASE_URL,
    },
  };
}
