import { randomBytes } from 'node:crypto';
import { type DatabaseUrls, type LocalServices, provisionDatabase, temporaryServices } from '@tenantscope/local';
import pg from 'pg';
import { tenantscope } from '../product/processes.ts';

export interface BenchDatabase extends DatabaseUrls, AsyncDisposable {
  name: string;
  /** Above every wall: to arrange and to look behind. */
  superuser: string;
  /** Where its records come from. A copy reads the topics of what it was copied from. */
  topicPrefix: string;
}

/** Services of the bench's own, durable ones: what a commit costs belongs to the measurement. */
export interface Installation extends AsyncDisposable {
  services: LocalServices;
  /** The version of the server, as it says it. */
  postgresVersion: string;
  copyOf(template: BenchDatabase): Promise<BenchDatabase>;
  /** What the product's processes read to run on a database. */
  environment(database: BenchDatabase): Record<string, string>;
  /** A migrated database with topics of its own. */
  migrated(): Promise<BenchDatabase>;
}

/** @param profiles directory for a CPU profile of every process of the product, or null */
export async function install(profiles: string | null): Promise<Installation> {
  const services = await temporaryServices({ durable: true });
  const cursorSecret = randomBytes(32).toString('hex');

  const database = async (topicPrefix: string, template: string | null): Promise<BenchDatabase> => {
    const name = `tenantscope_bench_${randomBytes(6).toString('hex')}`;
    const urls = await provisionDatabase(services.postgres, { name, template });
    // Every run begins with nothing to be written back, and pays for full page images from there.
    await asked(services.postgres, 'checkpoint');
    return {
      ...urls,
      name,
      topicPrefix,
      superuser: Object.assign(new URL(services.postgres), { pathname: `/${name}` }).href,
      [Symbol.asyncDispose]: () => asked(services.postgres, `drop database ${name} with (force)`).then(() => {}),
    };
  };

  const environment = ({ owner, roles, topicPrefix }: BenchDatabase): Record<string, string> => ({
    TENANTSCOPE_OWNER_DATABASE_URL: owner,
    TENANTSCOPE_API_DATABASE_URL: roles.api,
    TENANTSCOPE_KEYS_DATABASE_URL: roles.keys,
    TENANTSCOPE_INGEST_DATABASE_URL: roles.ingest,
    TENANTSCOPE_ADMIN_DATABASE_URL: roles.admin,
    TENANTSCOPE_JOBS_DATABASE_URL: roles.jobs,
    TENANTSCOPE_KAFKA_BROKERS: services.kafka,
    TENANTSCOPE_TOPIC_PREFIX: topicPrefix,
    TENANTSCOPE_REDIS_URL: services.redis,
    TENANTSCOPE_CURSOR_SECRETS: cursorSecret,
    TENANTSCOPE_HOST: '127.0.0.1',
    TENANTSCOPE_LOG_LEVEL: 'warn',
    ...(profiles === null ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}` }),
  });

  const [{ version }] = (await asked(services.postgres, `select current_setting('server_version') as version`)) as [
    { version: string },
  ];
  return {
    services,
    postgresVersion: version,
    copyOf: (template) => database(template.topicPrefix, template.name),
    environment,
    async migrated() {
      const made = await database(`bench-${randomBytes(4).toString('hex')}`, null);
      await tenantscope(environment(made), 'migrate');
      return made;
    },
    [Symbol.asyncDispose]: () => services[Symbol.asyncDispose](),
  };
}

/** One statement on a connection of its own. */
export async function asked(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}
