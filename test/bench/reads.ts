import { startApi } from './api-process.ts';
import { createDataSet, createTypedColumns, type DataSet, type Position, readPositions } from './data-set.ts';
import type { BenchInstallation } from './installation.ts';
import { apiReader, type PageReader, pgbenchReader, type Rate, stringifyReader } from './page-readers.ts';
import { findPgbench } from './pgbench.ts';
import type { Section } from './report.ts';
import { median } from './statistics.ts';
import { startStringify } from './stringify-process.ts';

export interface ReadsOptions {
  rows: number;
  repetitions: number;
}

const connections = 8;
const randomPlaces = 64;
const largestTenants = 20;
const deepPage = 5_000;

/** Measures how fast pages are served, relative to pgbench, which only fetches the same documents, and to a handler that stringifies objects. */
export async function benchReads(
  installation: BenchInstallation,
  options: ReadsOptions,
  log: (line: string) => void,
): Promise<Section[]> {
  log(`reads: creating ${options.rows} rows`);
  const data = await createDataSet(installation, options.rows);
  await createTypedColumns(data);
  const environment = installation.environment(data.database);
  const pgbench = await findPgbench();
  await using api = await startApi(environment);
  await using secondApi = await startApi(environment);
  await using plain = await startStringify(data.database.superuser);
  const upperMs = Date.now();
  const services = { postgres: installation.services.postgresService.pid ?? 0 };
  const readers: PageReader[] = [
    ...(pgbench === null ? [] : [pgbenchReader(pgbench, data.database.superuser, upperMs, services)]),
    apiReader('GET /logs', [api], data, services),
    apiReader('GET /logs, two api processes', [api, secondApi], data, services),
    stringifyReader(plain, services),
  ];
  if (pgbench === null) log('reads: pgbench skipped: not installed');

  const places = await drawPlaces(data);
  log('reads: warming up');
  for (const reader of readers) await reader.run(places, 1_000, connections);
  const sections: Section[] = [];
  for (const limit of [1_000, 50]) {
    const rates = await runAlternating(
      options.repetitions,
      readers,
      (reader) => reader.run(places, limit, connections),
      log,
      `limit ${limit}`,
    );
    sections.push(comparison(data, limit, readers, rates));
  }
  sections.push(await depth(data, readers, options.repetitions, log));
  return sections;
}

function comparison(
  data: DataSet,
  limit: number,
  readers: readonly PageReader[],
  rates: readonly (readonly Rate[])[],
): Section {
  const to = (name: string) => rates[readers.findIndex((reader) => reader.name === name)];
  const ratio = (own: readonly Rate[], others: readonly Rate[] | undefined) =>
    others
      ? round2(median(own.map((rate, round) => rate.pagesPerSecond / (others[round]?.pagesPerSecond ?? Number.NaN))))
      : null;
  return {
    title: `Reads, limit ${limit}`,
    description:
      `${data.rows} rows of ${data.tenants.length} tenants, the largest with ${data.tenants[0]?.rows}. ${connections} connections request pages at ` +
      `${randomPlaces} positions of the ${largestTenants} largest tenants. pgbench runs the prepared select of GET /logs without row-level security ` +
      'and discards the documents. The handler reads typed columns with a prepared statement and stringifies objects, without key, rate limit or watermark.',
    columns: ['', 'pages/s', 'to pgbench', 'to stringify', 'p50 ms', 'p99 ms', 'Node µs', 'PostgreSQL µs', 'client µs'],
    rows: readers.map((reader, at) => {
      const own = rates[at] ?? [];
      return [
        reader.name,
        Math.round(median(own.map((rate) => rate.pagesPerSecond))),
        ratio(own, to('pgbench')),
        ratio(own, to('stringify')),
        ...times(own),
        microseconds(own, (rate) => rate.nodeUs),
        microseconds(own, (rate) => rate.postgresUs),
        microseconds(own, (rate) => rate.clientUs),
      ];
    }),
  };
}

/** Compares the first page with a deep page on one connection: the cost of a page, not the throughput. */
async function depth(
  data: DataSet,
  readers: readonly PageReader[],
  repetitions: number,
  log: (line: string) => void,
): Promise<Section> {
  const largest = data.tenants[0];
  if (!largest) throw new Error('no tenant created');
  const rows: (string | number | null)[][] = [];
  for (const limit of [1_000, 50]) {
    const deepest = Math.min(deepPage, Math.floor((largest.rows - 1) / limit));
    const [first, last] = await readPositions(data, largest.id, [1, (deepest - 1) * limit]);
    if (!first || !last) throw new Error('the largest tenant has too few rows');
    const measured = readers.filter((reader) => reader.name === 'pgbench' || reader.name === 'GET /logs');
    const cases = measured.flatMap((reader) => [
      { name: `${reader.name}, limit ${limit}, page 1`, run: () => reader.run([first], limit, 1) },
      { name: `${reader.name}, limit ${limit}, page ${deepest}`, run: () => reader.run([last], limit, 1) },
    ]);
    const rates = await runAlternating(repetitions, cases, (one) => one.run(), log, 'depth');
    cases.forEach((one, at) => {
      const own = rates[at] ?? [];
      const before = rates[at - (at % 2)] ?? [];
      const ratios = own.map((rate, round) => rate.p50Ms / (before[round]?.p50Ms ?? Number.NaN));
      rows.push([one.name, ...times(own), at % 2 === 0 ? null : round2(median(ratios))]);
    });
  }
  return {
    title: 'Reads, page 1 and deep down',
    description: `The largest tenant, one connection. The ratio compares the median time of the deep page with page 1 of the same round; pgbench reports mean times.`,
    columns: ['', 'p50 ms', 'p99 ms', 'to page 1'],
    rows,
  };
}

const round2 = (value: number): number => Math.round(value * 100) / 100;

function times(rates: readonly Rate[]): (number | null)[] {
  const p99 = rates.map((rate) => rate.p99Ms).filter((value) => value !== null);
  return [round2(median(rates.map((rate) => rate.p50Ms))), p99.length === 0 ? null : round2(median(p99))];
}

function microseconds(rates: readonly Rate[], of: (rate: Rate) => number | null): number | null {
  const values = rates.map(of).filter((value) => value !== null);
  return values.length === 0 ? null : Math.round(median(values));
}

/** In the order A B C, B C A, and so on: the rates of each reader in the order of the rounds. */
async function runAlternating<One extends { name: string }>(
  repetitions: number,
  all: readonly One[],
  run: (one: One) => Promise<Rate>,
  log: (line: string) => void,
  what: string,
): Promise<Rate[][]> {
  const rates: Rate[][] = all.map(() => []);
  for (let round = 0; round < repetitions; round++) {
    for (let step = 0; step < all.length; step++) {
      const at = (round + step) % all.length;
      const one = all[at];
      if (!one) continue;
      const rate = await run(one);
      rates[at]?.push(rate);
      log(`reads, round ${round + 1}, ${what}: ${one.name}: ${Math.round(rate.pagesPerSecond)} pages/s`);
    }
  }
  return rates;
}

async function drawPlaces(data: DataSet): Promise<Position[]> {
  const tenants = data.tenants.slice(0, largestTenants);
  const places: Position[] = [];
  for (const [at, { id, rows }] of tenants.entries()) {
    const count = Math.ceil((randomPlaces - at) / tenants.length);
    const ranks = Array.from({ length: count }, () => 1 + Math.floor(Math.random() * Math.max(1, rows - 1_001)));
    places.push(...(await readPositions(data, id, ranks)));
  }
  return places;
}
