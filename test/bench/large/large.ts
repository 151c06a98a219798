import { grantableScopes } from '@tenantscope/contract';
import { connectAdmin } from '@tenantscope/store/admin';
import { eventually } from '../../installation/eventually.ts';
import { startApi } from '../api-process.ts';
import { createEnvironment, runStatement } from '../installation.ts';
import type { Section } from '../report.ts';
import { restartCold } from './cold-cache.ts';
import { historyDays, type LargeDatabase, largeShare, openLargeDatabase } from './database.ts';
import { measureDisk } from './disk.ts';
import { compareDocuments, type DocumentTimings, measureDocuments } from './documents.ts';
import { fillLog } from './fill.ts';
import { compareFilters, type FilterTimings, measureFilters } from './filters.ts';
import { createLargeClient, type LargeClient } from './http-client.ts';
import { type LargeServices, startLargeServices, tickInBackground } from './installation.ts';
import { measureColdPages, measurePages } from './pages.ts';

export interface LargeOptions {
  readonly rows: number;
  readonly repetitions: number;
  /** Discards what an earlier run wrote. */
  readonly fresh: boolean;
}

export interface LargeOutcome {
  readonly postgresVersion: string;
  readonly sections: Section[];
}

/** Enough for the rate limit: pages of 1,000 at 300 a second took up 12. */
const keyCount = 100;

/**
 * Fills two databases with the same entities, one with `rows` rows and one with a tenth, or continues or uses those of an earlier run, and measures what grows with the rows.
 * They stay in a directory of the state directory.
 */
export async function benchLarge(options: LargeOptions, log: (line: string) => void): Promise<LargeOutcome> {
  await using services = await startLargeServices();
  const open = async (rows: number) => {
    const database = await openLargeDatabase(services.addresses, {
      rows,
      populationRows: options.rows,
      fresh: options.fresh,
    });
    await fillLog(database, log);
    return database;
  };
  const small = await open(Math.round(options.rows / 10));
  const large = await open(options.rows);
  const growth = await measureGrowth(services, small, options, log);
  const sections = await measureLarge(services, large, growth, options, log);
  const [version] = await runStatement(large.superuser, `select current_setting('server_version') as version`);
  return { postgresVersion: String(version?.version), sections };
}

/** What is measured at a tenth of the rows too. */
interface Growth {
  readonly filters: FilterTimings;
  readonly documents: DocumentTimings;
}

async function measureGrowth(
  services: LargeServices,
  database: LargeDatabase,
  { repetitions }: LargeOptions,
  log: (line: string) => void,
): Promise<Growth> {
  await using served = await serve(services, database);
  return {
    documents: await measureDocuments({ ...served, database }, repetitions, log),
    filters: await measureFilters({ ...served, database }, log),
  };
}

async function measureLarge(
  services: LargeServices,
  database: LargeDatabase,
  growth: Growth,
  { repetitions }: LargeOptions,
  log: (line: string) => void,
): Promise<Section[]> {
  await using served = await serve(services, database);
  const { api, client, secrets } = served;
  const { rows } = database.state;
  const postgres = services.services.postgresService;
  const run = { database, api, client, secrets, services: { postgres: served.postgresPid } };
  const sections = [describeFill(database), await measureDisk(database), await measurePages(run, repetitions, log)];
  const documents = await measureDocuments({ ...served, database }, repetitions, log);
  sections.push(compareDocuments(rows, documents, growth.documents));
  const filters = await measureFilters({ ...served, database }, log);
  sections.push(compareFilters(rows, filters, growth.filters));
  const [setting] = await runStatement(database.superuser, `select current_setting('data_directory') as directory`);
  if (await restartCold(postgres, String(setting?.directory))) {
    await eventually('the API reads again', 60_000, async () => (await client.request('/ping')).failure === null);
    sections.push(await measureColdPages(run));
  } else log('pages from disk: skipped: the cache cannot be dropped here');
  return sections;
}

interface Served extends AsyncDisposable {
  readonly api: Awaited<ReturnType<typeof startApi>>;
  readonly client: LargeClient;
  readonly secrets: readonly string[];
  readonly postgresPid: number;
}

/** One api process over a database whose lanes tick. */
export async function serve({ addresses, services }: LargeServices, database: LargeDatabase): Promise<Served> {
  await using stack = new AsyncDisposableStack();
  stack.use(tickInBackground(database));
  const secrets = await createKeys(database);
  const ownSecrets = await createKeys(database);
  const api = stack.use(await startApi(createEnvironment(addresses, database)));
  // Loads use up the rate limits of their keys.
  const client = createLargeClient(api.port, ownSecrets, database);
  const { failure } = await client.request('/logs?limit=1');
  if (failure !== null) throw new Error(`the API does not serve ${database.name}: ${failure}`);
  const owned = stack.move();
  const postgresPid = services.postgresService.pid ?? 0;
  return { api, client, secrets, postgresPid, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function createKeys({ roles }: LargeDatabase): Promise<string[]> {
  await using admin = await connectAdmin({ models: roles.admin, control: roles.admin }, 'cli:bench');
  const [organization] = await admin.organizations.list();
  if (organization === undefined) throw new Error('the organization of the tenants is missing');
  const secrets: string[] = [];
  for (let number = 0; number < keyCount; number++) {
    const owner = { organizationId: organization.id };
    const { secret } = await admin.keys.create({
      name: `bench ${number}`,
      scopes: [...grantableScopes],
      owner,
      expiresAt: null,
    });
    secrets.push(secret);
  }
  return secrets;
}

export function describeFill({ state }: LargeDatabase): Section {
  const tenants = state.tenantIds.length - 1;
  return {
    title: `Fill, ${state.rows} rows`,
    description: `Records of the demo companies with other actors, files, addresses, ids and times, ${historyDays} days of them; ${largeShare * 100} % of one tenant, the rest of ${tenants}. They pass through the normaliser and the writer of ingestion, 1,000 in a transaction; Kafka is left out. One line per run that filled. Processor: of this process with its worker threads, without PostgreSQL. Blocks: by which filters find rows, written afterwards.`,
    columns: [
      'ended',
      'rows',
      's',
      'rows/s',
      'Node µs per row',
      'blocks, s',
      'blocks, µs per row',
      'blocks, Node µs per row',
      'vacuum s',
    ],
    rows: state.filled.map(
      ({ endedAt, rows, seconds, nodeUs, blockRows, blockSeconds, blockNodeUs, vacuumSeconds }) => [
        endedAt,
        rows,
        Math.round(seconds),
        Math.round(rows / seconds),
        Math.round(nodeUs / rows),
        blockSeconds,
        Math.round((blockSeconds / blockRows) * 1e7) / 10,
        Math.round((blockNodeUs / blockRows) * 10) / 10,
        vacuumSeconds,
      ],
    ),
  };
}
