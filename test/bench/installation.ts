import { randomBytes } from 'node:crypto';
import {
  type Addresses,
  type DatabaseUrls,
  type LocalServices,
  provisionDatabase,
  startTemporaryServices,
} from '@tenantscope/local';
import pg from 'pg';
import { tenantscope } from '../installation/processes.ts';

export interface BenchDatabase extends DatabaseUrls, AsyncDisposable {
  name: string;
  /** Not subject to row-level security: for setup and inspection. */
  superuser: string;
  /** The prefix of its topics. A copy reads the topics of its template. */
  topicPrefix: string;
}

/** Durable services of the benchmark: the cost of a commit is part of the measurement. */
export interface BenchInstallation extends AsyncDisposable {
  services: LocalServices;
  /** The server version as the server reports it. */
  postgresVersion: string;
  copyOf(template: BenchDatabase): Promise<BenchDatabase>;
  /** The environment of the product's processes for a database. */
  environment(database: BenchDatabase): Record<string, string>;
  /** A migrated database with its own topics. */
  migrated(): Promise<BenchDatabase>;
}

const cursorSecret = randomBytes(32).toString('hex');

/** The environment of the product's processes for a database. */
export const createEnvironment = (
  services: Addresses,
  { owner, roles, topicPrefix }: Pick<BenchDatabase, 'owner' | 'roles' | 'topicPrefix'>,
): Record<string, string> => ({
  TENANTSCOPE_OWNER_DATABASE_URL: owner,
  TENANTSCOPE_API_DATABASE_URL: roles.api,
  TENANTSCOPE_KEYS_DATABASE_URL: roles.keys,
  TENANTSCOPE_INGEST_DATABASE_URL: roles.ingest,
  TENANTSCOPE_ADMIN_DATABASE_URL: roles.admin,
  TENANTSCOPE_CONSOLE_DATABASE_URL: roles.console,
  TENANTSCOPE_JOBS_DATABASE_URL: roles.jobs,
  TENANTSCOPE_COLLECT_DATABASE_URL: roles.collect,
  TENANTSCOPE_KAFKA_BROKERS: services.kafka,
  TENANTSCOPE_TOPIC_PREFIX: topicPrefix,
  TENANTSCOPE_REDIS_URL: services.redis,
  TENANTSCOPE_CURSOR_SECRETS: cursorSecret,
  TENANTSCOPE_HOST: '127.0.0.1',
  TENANTSCOPE_LOG_LEVEL: 'warn',
});

/** @param profiles directory for a CPU profile of every process of the product, or null */
export async function startBenchInstallation(profiles: string | null): Promise<BenchInstallation> {
  const services = await startTemporaryServices({ durable: true });
  const environment = (database: BenchDatabase) => ({
    ...createEnvironment(services, database),
    ...(profiles === null ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}` }),
  });

  const database = async (topicPrefix: string, template: string | null): Promise<BenchDatabase> => {
    const name = `tenantscope_bench_${randomBytes(6).toString('hex')}`;
    const urls = await provisionDatabase(services.postgres, { name, template });
    // Every run starts after a checkpoint and pays for full-page images from there.
    await runStatement(services.postgres, 'checkpoint');
    return {
      ...urls,
      name,
      topicPrefix,
      superuser: Object.assign(new URL(services.postgres), { pathname: `/${name}` }).href,
      [Symbol.asyncDispose]: () => runStatement(services.postgres, `drop database ${name} with (force)`).then(() => {}),
    };
  };

  const [{ version }] = (await runStatement(
    services.postgres,
    `select current_setting('server_version') as version`,
  )) as [{ version: string }];
  return {
    services,
    postgresVersion: version,
    copyOf: (template) => database(template.topicPrefix, template.name),
    environment,
    async migrated() {
      const created = await database(`bench-${randomBytes(4).toString('hex')}`, null);
      await tenantscope(environment(created), 'migrate');
      return created;
    },
    [Symbol.asyncDispose]: () => services[Symbol.asyncDispose](),
  };
}

/** Runs one statement on its own connection. */
export async function runStatement(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}
