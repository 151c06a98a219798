import { randomBytes, randomUUID } from 'node:crypto';
import { type Addresses, findFreePort } from '@tenantscope/local';
import { connectPublisher, type Publisher } from '@tenantscope/publish';
import { type Admin, connectAdmin } from '@tenantscope/store/admin';
import { inject } from 'vitest';
import { createDatabaseOn, createTestDatabase, type TestDatabase } from '../services/database.ts';
import { type ProductProcess, startProcess, tenantscope } from './processes.ts';

/** The whole product with its own database, topics and key space. */
export interface Installation extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly environment: Record<string, string>;
  readonly activityTopic: string;
  readonly admin: Admin;
  readonly publisher: Publisher;
  startIngest(extra?: Record<string, string>): Promise<ProductProcess>;
  startJobs(extra?: Record<string, string>): Promise<ProductProcess>;
  /** An api instance and its base URL. */
  startApi(extra?: Record<string, string>): Promise<ProductProcess & { baseUrl: string }>;
  cli<Document = Record<string, unknown>>(...args: string[]): Promise<Document>;
  /** A tenant with a key for its logs. */
  createTenant(name?: string): Promise<{ id: string; azureTenantId: string; secret: string }>;
}

/** On the services of the run; a test that stops services passes its own, and further variables of all processes. */
export async function startInstallation(
  own?: Addresses,
  variables: Readonly<Record<string, string>> = {},
): Promise<Installation> {
  const services = own ?? inject('services');
  const database = own ? await createDatabaseOn(own.postgres) : await createTestDatabase();
  const prefix = `test-${randomBytes(4).toString('hex')}`;
  const environment = { ...buildEnvironment(database, services, prefix), ...variables };
  await tenantscope(environment, 'migrate');
  const admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:test');
  const publisher = await connectPublisher({ brokers: services.kafka, clientId: 'test' });
  const processes: ProductProcess[] = [];
  const started = <One extends ProductProcess>(one: One): One => {
    processes.push(one);
    return one;
  };
  return {
    database,
    environment,
    admin,
    publisher,
    activityTopic: `${prefix}.raw.activity.v1`,
    startIngest: async (extra = {}) => started(await startProcess('ingest', { ...environment, ...extra })),
    startJobs: async (extra = {}) => started(await startProcess('jobs', { ...environment, ...extra })),
    async startApi(extra = {}) {
      const port = await findFreePort();
      const baseUrl = `http://127.0.0.1:${port}/api/v1`;
      const own = { TENANTSCOPE_PORT: String(port), TENANTSCOPE_PUBLIC_URL: baseUrl };
      return Object.assign(started(await startProcess('api', { ...environment, ...own, ...extra })), { baseUrl });
    },
    cli: (...args) => tenantscope(environment, ...args),
    async createTenant(name = 'A tenant') {
      const azureTenantId = randomUUID();
      const { id } = await admin.tenants.create({ name, organizationId: null, azureTenantId });
      const { secret } = await admin.keys.create({
        name: 'reader',
        scopes: ['logs:read'],
        owner: { tenantId: id },
        expiresAt: null,
      });
      return { id, azureTenantId, secret };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()));
      await publisher[Symbol.asyncDispose]();
      await admin[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** The variables of all processes. */
export function buildEnvironment(
  database: TestDatabase,
  services: { kafka: string; redis: string },
  prefix: string,
): Record<string, string> {
  const { roles } = database;
  return {
    TENANTSCOPE_OWNER_DATABASE_URL: database.owner,
    TENANTSCOPE_API_DATABASE_URL: roles.api,
    TENANTSCOPE_KEYS_DATABASE_URL: roles.keys,
    TENANTSCOPE_INGEST_DATABASE_URL: roles.ingest,
    TENANTSCOPE_ADMIN_DATABASE_URL: roles.admin,
    TENANTSCOPE_CONSOLE_DATABASE_URL: roles.console,
    TENANTSCOPE_JOBS_DATABASE_URL: roles.jobs,
    TENANTSCOPE_COLLECT_DATABASE_URL: roles.collect,
    TENANTSCOPE_KAFKA_BROKERS: services.kafka,
    TENANTSCOPE_TOPIC_PREFIX: prefix,
    TENANTSCOPE_REDIS_URL: services.redis,
    TENANTSCOPE_JOBS_QUEUE_PREFIX: prefix,
    TENANTSCOPE_CURSOR_SECRETS: randomBytes(32).toString('hex'),
    TENANTSCOPE_HOST: '127.0.0.1',
    // How many requests of a tenant run at once must not depend on the load of the machine.
    TENANTSCOPE_CONTENDED_SHARE: '1',
  };
}
