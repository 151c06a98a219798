import { randomBytes } from 'node:crypto';
import { findFreePort } from '@tenantscope/local';
import pg from 'pg';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { type ProductProcess, startProcess, tenantscope } from '../installation/processes.ts';
import { createDatabaseOn, type TestDatabase } from '../services/database.ts';

export interface CellInstallation extends AsyncDisposable {
  /** By name of the cell, with default first. */
  readonly cells: ReadonlyMap<string, { readonly database: TestDatabase; readonly topicPrefix: string }>;
  readonly control: TestDatabase;
  /** Of the control database, the cell default, the API, the console and the command line. */
  readonly environment: Record<string, string>;
  readonly baseUrl: string;
  /** Of words without spaces. */
  cli<Document = Record<string, unknown>>(line: string): Promise<Document>;
  client(secret: string): ApiClient;
  /** A process of a cell; of the API, the console and collect, of all. */
  start(name: Parameters<typeof startProcess>[0], cell?: string): Promise<ProductProcess>;
  environmentOf(cell: string): Record<string, string>;
}

export interface CellServers {
  readonly kafka: string;
  readonly redis: string;
  /** By cell, the URL of the superuser. */
  readonly postgres: Readonly<Record<string, string>> & { readonly default: string };
  /** Of the control database; that of the cell default if it is left out. */
  readonly controlServer?: string;
}

/** The control database, the read models of the cell default, and those of further cells, each in a database of its own, migrated as an operator does. */
export async function createCellInstallation({
  kafka,
  redis,
  postgres,
  controlServer = postgres.default,
}: CellServers): Promise<CellInstallation> {
  await using stack = new AsyncDisposableStack();
  const prefix = `test-${randomBytes(4).toString('hex')}`;
  const control = stack.use(await createDatabaseOn(controlServer));
  const cells = new Map<string, { database: TestDatabase; topicPrefix: string }>();
  for (const [name, server] of Object.entries(postgres))
    cells.set(name, {
      database: stack.use(await createDatabaseOn(server)),
      topicPrefix: name === 'default' ? prefix : `${prefix}.${name}`,
    });
  for (const server of new Set(Object.values(postgres)))
    if (server !== controlServer) await shareOwner(control.owner, server);
  const { owner } = (cells.get('default') as { database: TestDatabase }).database;
  const roles = Object.fromEntries(
    Object.entries(control.roles).map(([role, url]) => [role, moveUrl(url, owner)]),
  ) as typeof control.roles;
  const port = await findFreePort();
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  const environment: Record<string, string> = {
    TENANTSCOPE_OWNER_DATABASE_URL: moveUrl(control.owner, owner),
    TENANTSCOPE_OWNER_CONTROL_DATABASE_URL: control.owner,
    TENANTSCOPE_API_DATABASE_URL: roles.api,
    TENANTSCOPE_KEYS_DATABASE_URL: control.roles.keys,
    TENANTSCOPE_INGEST_DATABASE_URL: roles.ingest,
    TENANTSCOPE_INGEST_CONTROL_DATABASE_URL: control.roles.ingest,
    TENANTSCOPE_ADMIN_DATABASE_URL: roles.admin,
    TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL: control.roles.admin,
    TENANTSCOPE_CONSOLE_DATABASE_URL: roles.console,
    TENANTSCOPE_CONSOLE_CONTROL_DATABASE_URL: control.roles.console,
    TENANTSCOPE_COLLECT_DATABASE_URL: control.roles.collect,
    TENANTSCOPE_JOBS_DATABASE_URL: roles.jobs,
    TENANTSCOPE_JOBS_CONTROL_DATABASE_URL: control.roles.jobs,
    TENANTSCOPE_KAFKA_BROKERS: kafka,
    TENANTSCOPE_TOPIC_PREFIX: prefix,
    TENANTSCOPE_REDIS_URL: redis,
    TENANTSCOPE_JOBS_QUEUE_PREFIX: prefix,
    TENANTSCOPE_JOBS_RECONCILE_SECONDS: '1',
    TENANTSCOPE_CURSOR_SECRETS: randomBytes(32).toString('hex'),
    TENANTSCOPE_HOST: '127.0.0.1',
    TENANTSCOPE_PORT: String(port),
    TENANTSCOPE_PUBLIC_URL: baseUrl,
    TENANTSCOPE_CONTENDED_SHARE: '1',
  };
  const cli = <Document>(line: string) => tenantscope<Document>(environment, ...line.split(' '));
  await cli('migrate');
  const further = [...cells].filter(([name]) => name !== 'default');
  for (const [name, { topicPrefix }] of further) await cli(`cell create ${name} --topic-prefix ${topicPrefix}`);
  environment.TENANTSCOPE_CELLS = further.map(([name]) => name).join();
  for (const [name, { database }] of further) {
    const { host, pathname } = new URL(database.owner);
    environment[`TENANTSCOPE_CELL_${name.toUpperCase()}_DATABASE`] = host + pathname;
  }
  await cli('migrate');
  const environmentOf = (cell: string): Record<string, string> => {
    const found = cells.get(cell);
    if (found === undefined || cell === 'default') return environment;
    const at = (url: string) => moveUrl(url, found.database.owner);
    return {
      ...environment,
      TENANTSCOPE_CELL: cell,
      TENANTSCOPE_INGEST_DATABASE_URL: at(roles.ingest),
      TENANTSCOPE_JOBS_DATABASE_URL: at(roles.jobs),
    };
  };
  const all = stack.move();
  return {
    cells,
    control,
    environment,
    baseUrl,
    cli,
    client: (secret) => createApiClient(baseUrl, secret),
    start: (name, cell = 'default') => startProcess(name, environmentOf(cell)),
    environmentOf,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** With the login of a URL, the database of another one: a login has one password in all cells. */
export function moveUrl(url: string, database: string): string {
  const { host, pathname } = new URL(database);
  return Object.assign(new URL(url), { host, pathname }).href;
}

/** The owner has one password in all cells, as all logins do: that of the others is set by "tenantscope migrate". */
async function shareOwner(owner: string, server: string): Promise<void> {
  const client = new pg.Client(server);
  await client.connect();
  try {
    const { username, password } = new URL(owner);
    await client.query(`alter role ${pg.escapeIdentifier(username)} password ${pg.escapeLiteral(password)}`);
  } finally {
    await client.end();
  }
}
