import {
  cellVariables,
  databaseUrl,
  defaultCell,
  type KafkaConnection,
  kafkaClusterVariables,
  kafkaVariables,
  mainCluster,
  migratedCellVariables,
  optionalDatabaseUrl,
  postgresVariables,
  readCells,
  readConfig,
  readKafkaClusters,
  readKafkaConnection,
  secret,
  topicVariables,
  variable,
} from '@tenantscope/runtime';
import type { InstallationUrls } from '@tenantscope/store/admin';
import { z } from 'zod';
import type { Environment } from './environment.ts';

/** All commands but migrate. */
const admin = z.object({
  TENANTSCOPE_ADMIN_DATABASE_URL: databaseUrl('Read models, login tenantscope_admin.'),
  TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL: optionalDatabaseUrl(
    'Control database, same login. By default the database of the read models.',
  ),
  ...cellVariables,
  ...postgresVariables,
});

/** The commands migrate, import and replay. */
const kafka = z.object({ ...kafkaVariables, ...topicVariables });

/** The commands source create and lanes skip. */
const clusters = z.object(kafkaClusterVariables);

/** The command migrate. */
const migration = z.object({
  TENANTSCOPE_OWNER_DATABASE_URL: databaseUrl('Read models, login that owns the schema.'),
  TENANTSCOPE_OWNER_CONTROL_DATABASE_URL: optionalDatabaseUrl(
    'Control database, login that owns the schema. By default the database of the read models.',
  ),
  TENANTSCOPE_API_DATABASE_URL: databaseUrl('Login tenantscope_api, which migrations create.'),
  TENANTSCOPE_KEYS_DATABASE_URL: databaseUrl('Login tenantscope_keys, which migrations create.'),
  TENANTSCOPE_INGEST_DATABASE_URL: databaseUrl('Login tenantscope_ingest, which migrations create.'),
  TENANTSCOPE_ADMIN_DATABASE_URL: databaseUrl('Login tenantscope_admin, which migrations create.'),
  TENANTSCOPE_CONSOLE_DATABASE_URL: databaseUrl('Login tenantscope_console, which migrations create.'),
  TENANTSCOPE_JOBS_DATABASE_URL: databaseUrl('Login tenantscope_jobs, which migrations create.'),
  TENANTSCOPE_COLLECT_DATABASE_URL: databaseUrl('Login tenantscope_collect, which migrations create.'),
  ...migratedCellVariables,
  ...postgresVariables,
});

export interface KafkaSettings {
  readonly connection: KafkaConnection;
  readonly topicPrefix: string;
}

/** Commands that request the API. */
const api = z.object({
  TENANTSCOPE_URL: variable(
    'Base URL of the API, for commands that request it.',
    z.url({ protocol: /^https?$/ }).optional(),
  ),
  TENANTSCOPE_KEY: secret('API key of these commands.', z.string().optional()),
});

/** The variables of `tenantscope migrate`. */
export const migrationConfig = z.object({ ...migration.shape, ...kafka.shape });

/** The variables of all other commands; each reads those that it needs. */
export const commandConfig = z.object({
  ...admin.shape,
  ...kafka.shape,
  ...clusters.shape,
  ...api.shape,
  TENANTSCOPE_CONSOLE_URL: variable('Origin of the console, for links to it.', z.url().optional()),
});

export function readApiSettings(environment: Environment): { url: string | undefined; key: string | undefined } {
  const { TENANTSCOPE_URL: url, TENANTSCOPE_KEY: key } = readConfig(api, { ...environment });
  return { url, key };
}

export function readAdminUrls(environment: Environment): InstallationUrls {
  const read = readConfig(admin, { ...environment });
  const models = read.TENANTSCOPE_ADMIN_DATABASE_URL;
  return {
    models,
    control: read.TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL ?? models,
    cells: readCells(read, models, environment),
  };
}

export function readKafkaSettings(environment: Environment): KafkaSettings {
  const read = readConfig(kafka, { ...environment });
  return { connection: readKafkaConnection(read, environment), topicPrefix: read.TENANTSCOPE_TOPIC_PREFIX };
}

/** The names of the clusters that topics can be bound in; no command needs their logins for it. */
export function readClusterNames(environment: Environment): readonly string[] {
  return [mainCluster, ...readConfig(clusters, { ...environment }).TENANTSCOPE_KAFKA_CLUSTERS];
}

/** How to connect to a cluster; undefined where no variable declares it. */
export function readClusterConnection(environment: Environment, cluster: string): KafkaConnection | undefined {
  if (cluster === mainCluster) return readKafkaSettings(environment).connection;
  const names = readConfig(clusters, { ...environment }).TENANTSCOPE_KAFKA_CLUSTERS.filter((name) => name === cluster);
  return readKafkaClusters({ TENANTSCOPE_KAFKA_CLUSTERS: names }, environment).get(cluster);
}

/** For commands that need no broker. */
export function readTopicPrefix(environment: Environment): string {
  return readConfig(z.object(topicVariables), { ...environment }).TENANTSCOPE_TOPIC_PREFIX;
}

/** Of the owner, for commands that work on the rows of all tables. */
const owner = z.object({
  TENANTSCOPE_OWNER_DATABASE_URL: migration.shape.TENANTSCOPE_OWNER_DATABASE_URL,
  TENANTSCOPE_OWNER_CONTROL_DATABASE_URL: migration.shape.TENANTSCOPE_OWNER_CONTROL_DATABASE_URL,
  ...cellVariables,
  ...postgresVariables,
});

export function readOwnerUrls(environment: Environment) {
  const read = readConfig(owner, { ...environment });
  const models = read.TENANTSCOPE_OWNER_DATABASE_URL;
  const cells = readCells(read, models, environment).map(({ name, database }) => ({ cell: name, owner: database }));
  return {
    models,
    control: read.TENANTSCOPE_OWNER_CONTROL_DATABASE_URL ?? models,
    cells: [{ cell: defaultCell, owner: models }, ...cells],
  };
}

export function readMigrationUrls(environment: Environment) {
  const read = readConfig(migration, { ...environment });
  const cells = readCells(read, read.TENANTSCOPE_OWNER_DATABASE_URL, environment);
  return {
    owner: read.TENANTSCOPE_OWNER_DATABASE_URL,
    controlOwner: read.TENANTSCOPE_OWNER_CONTROL_DATABASE_URL ?? read.TENANTSCOPE_OWNER_DATABASE_URL,
    cells: cells.map(({ name, database, topicPrefix }) => ({ name, owner: database, topicPrefix })),
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
