import type { ProductProcess } from '../../installation/processes.ts';
import { measureLoad, pgbenchReader, type Rate, type Services } from '../page-readers.ts';
import { findPgbench } from '../pgbench.ts';
import type { Section } from '../report.ts';
import { median } from '../statistics.ts';
import type { LargeDatabase } from './database.ts';
import { countFailures, type LargeClient } from './http-client.ts';
import { findPlace, type PagePlace, pagePath } from './positions.ts';

const limit = 1_000;
const pageMs = 3_000;
const connections = 4;
const coldPlaces = 12;

/** What pages are requested from. */
export interface PageRun {
  readonly database: LargeDatabase;
  readonly api: ProductProcess & { port: number };
  readonly client: LargeClient;
  readonly secrets: readonly string[];
  readonly services: Services;
}

/** Pages from a warm cache, by position and compression, next to pgbench that fetches the same rows. */
export async function measurePages(run: PageRun, repetitions: number, log: (line: string) => void): Promise<Section> {
  const { database, client } = run;
  const places = await findPlaces(database);
  const pgbench = await findPgbench();
  if (pgbench === null) log('pages: pgbench skipped: not installed');
  const cases = places.flatMap((place) => [
    { name: place.name, run: () => measurePage(run, place, 'identity') },
    { name: `${place.name}, gzip`, run: () => measurePage(run, place, 'gzip') },
    ...(pgbench === null ? [] : [{ name: `${place.name}, pgbench`, run: () => measurePgbench(run, pgbench, place) }]),
  ]);
  const sizes = new Map<string, number>();
  for (const place of places) {
    sizes.set(place.name, (await client.request(pagePath(place, limit))).bytes);
    sizes.set(`${place.name}, gzip`, (await client.request(pagePath(place, limit), 'gzip')).bytes);
  }
  const rates = cases.map((): PageRate[] => []);
  for (let round = 0; round < repetitions; round++)
    for (const [index, one] of cases.entries()) {
      const rate = await one.run();
      rates[index]?.push(rate);
      log(`pages, round ${round + 1}: ${one.name}: ${Math.round(rate.perSecond)} pages/s`);
    }
  const base = (name: string) => rates[cases.findIndex((one) => one.name === `${name.split(',')[0]}, pgbench`)];
  return {
    title: `Pages of ${limit} rows, ${database.state.rows} rows in the table`,
    description: `${connections} connections request one page of the large tenant again and again, so that it is in memory. Pages per core: one divided by the processor time of a page, of the api process and PostgreSQL together (pgbench: of PostgreSQL). The ratio is to pgbench at the same position, in one round.`,
    columns: ['', 'pages/s', 'to pgbench', 'pages/s per core', 'p50 ms', 'p99 ms', 'kB'],
    rows: cases.map(({ name }, index) => {
      const own = rates[index] ?? [];
      const other = base(name);
      const ratios = own.map((rate, round) => rate.perSecond / (other?.[round]?.perSecond ?? Number.NaN));
      const bytes = sizes.get(name);
      const p99 = own.flatMap(({ p99Ms }) => (p99Ms === null ? [] : [p99Ms]));
      return [
        name,
        Math.round(median(own.map(({ perSecond }) => perSecond))),
        other ? round2(median(ratios)) : null,
        Math.round(median(own.map(({ perCore }) => perCore))),
        round2(median(own.map(({ p50Ms }) => p50Ms))),
        p99.length === 0 ? null : round2(median(p99)),
        bytes === undefined ? null : Math.round(bytes / 1_000),
      ];
    }),
  };
}

/** The first reads after a start without a cache: each place is read once. */
export async function measureColdPages({ database, client }: PageRun): Promise<Section> {
  const names = await findPlaces(database);
  const spread: PagePlace[] = [];
  for (let index = 0; index < coldPlaces; index++)
    spread.push(await findPlace(database, (index + 0.37) / coldPlaces, limit, `place ${index}`));
  const rows: (string | number | null)[][] = [];
  for (const place of names) {
    const timing = await client.request(pagePath(place, limit));
    rows.push([place.name, round2(timing.ms), null, timing.failure ?? '']);
  }
  const timings = [];
  for (const place of spread) timings.push(await client.request(pagePath(place, limit)));
  const ms = timings.map((timing) => timing.ms);
  rows.push([
    `${coldPlaces} places, median and maximum`,
    round2(median(ms)),
    round2(Math.max(...ms)),
    countFailures(timings),
  ]);
  return {
    title: `Pages of ${limit} rows from disk, ${database.state.rows} rows in the table`,
    description:
      'Requests after PostgreSQL was restarted and its files were dropped from the cache of the operating system. The index pages on the way were read by the search for the places; a virtual disk may have a cache of its own.',
    columns: ['', 'ms', 'max ms', 'failures'],
    rows,
  };
}

const findPlaces = (database: LargeDatabase): Promise<PagePlace[]> =>
  Promise.all([
    findPlace(database, 0, limit, 'first'),
    findPlace(database, 0.5, limit, 'middle'),
    findPlace(database, 1, limit, 'last'),
  ]);

export interface PageRate extends Pick<Rate, 'p50Ms' | 'p99Ms'> {
  readonly perSecond: number;
  readonly perCore: number;
}

export async function measurePage(
  { api, secrets, services }: PageRun,
  place: PagePlace,
  encoding: string,
): Promise<PageRate> {
  const path = `/api/v1${pagePath(place, limit)}`;
  const { pagesPerSecond, p50Ms, p99Ms, nodeUs, postgresUs } = await measureLoad(services, [api.child.pid ?? 0], {
    ports: [api.port],
    connections,
    durationMs: pageMs,
    requests: [{ path, headers: { 'x-tenant-id': place.tenantId, 'accept-encoding': encoding } }],
    secrets,
  });
  return { perSecond: pagesPerSecond, perCore: 1e6 / ((nodeUs ?? 0) + postgresUs), p50Ms, p99Ms };
}

export async function measurePgbench(
  { database, services }: PageRun,
  program: string,
  place: PagePlace,
): Promise<PageRate> {
  const reader = pgbenchReader(program, database.superuser, database.state.endsAtMs, services);
  const { pagesPerSecond, p50Ms, postgresUs } = await reader.run([place], limit, connections);
  return { perSecond: pagesPerSecond, perCore: 1e6 / postgresUs, p50Ms, p99Ms: null };
}

const round2 = (value: number): number => Math.round(value * 100) / 100;
