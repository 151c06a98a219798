import { startApi } from './api-process.ts';
import { type DataSet, makeColumns, makeDataSet, type Place, placesOf } from './data-set.ts';
import type { Installation } from './installation.ts';
import { fetchingOnly, type PageReader, type Rate, stringifying, throughApi } from './page-readers.ts';
import { findPgbench } from './pgbench.ts';
import type { Section } from './report.ts';
import { median } from './statistics.ts';
import { startStringify } from './stringify-process.ts';

export interface ReadsOptions {
  rows: number;
  rounds: number;
}

const connections = 8;
const randomPlaces = 64;
const largestTenants = 20;
const deepPage = 5_000;

/** How fast pages are served, beside pgbench that merely fetches the same documents and beside a handler that stringifies objects. */
export async function benchReads(
  installation: Installation,
  options: ReadsOptions,
  say: (line: string) => void,
): Promise<Section[]> {
  say(`reads: making ${options.rows} rows`);
  const data = await makeDataSet(installation, options.rows);
  await makeColumns(data);
  const environment = installation.environment(data.database);
  const pgbench = await findPgbench();
  await using api = await startApi(environment);
  await using secondApi = await startApi(environment);
  await using plain = await startStringify(data.database.superuser);
  const upperMs = Date.now();
  const services = { postgres: installation.services.postgresService.pid ?? 0 };
  const readers: PageReader[] = [
    ...(pgbench === null ? [] : [fetchingOnly(pgbench, data.database.superuser, upperMs, services)]),
    throughApi('GET /logs', [api], data, services),
    throughApi('GET /logs, two api processes', [api, secondApi], data, services),
    stringifying(plain, services),
  ];
  if (pgbench === null) say('reads: pgbench is left out: it is not installed and cannot be');

  const places = await drawPlaces(data);
  say('reads: warming up');
  for (const reader of readers) await reader.run(places, 1_000, connections);
  const sections: Section[] = [];
  for (const limit of [1_000, 50]) {
    const rates = await inTurns(
      options.rounds,
      readers,
      (reader) => reader.run(places, limit, connections),
      say,
      `limit ${limit}`,
    );
    sections.push(comparison(data, limit, readers, rates));
  }
  sections.push(await depth(data, readers, options.rounds, say));
  return sections;
}

function comparison(
  data: DataSet,
  limit: number,
  readers: readonly PageReader[],
  rates: readonly (readonly Rate[])[],
): Section {
  const to = (name: string) => rates[readers.findIndex((reader) => reader.name === name)];
  const ratio = (mine: readonly Rate[], others: readonly Rate[] | undefined) =>
    others
      ? round2(median(mine.map((rate, round) => rate.pagesPerSecond / (others[round]?.pagesPerSecond ?? Number.NaN))))
      : null;
  return {
    title: `Reads, limit ${limit}`,
    words:
      `${data.rows} rows of ${data.tenants.length} tenants, the largest with ${data.tenants[0]?.rows}. ${connections} connections ask for pages at ` +
      `${randomPlaces} places of the ${largestTenants} largest tenants. pgbench runs the select inside of GET /logs, prepared, above every wall, ` +
      'and throws the documents away. The handler reads typed columns, prepared, and stringifies objects; no key, no budget, no watermark.',
    columns: ['', 'pages/s', 'to pgbench', 'to stringify', 'p50 ms', 'p99 ms', 'Node µs', 'PostgreSQL µs', 'client µs'],
    rows: readers.map((reader, at) => {
      const mine = rates[at] ?? [];
      return [
        reader.name,
        Math.round(median(mine.map((rate) => rate.pagesPerSecond))),
        ratio(mine, to('pgbench')),
        ratio(mine, to('stringify')),
        ...times(mine),
        microseconds(mine, (rate) => rate.nodeUs),
        microseconds(mine, (rate) => rate.postgresUs),
        microseconds(mine, (rate) => rate.clientUs),
      ];
    }),
  };
}

/** The same reader at the first page and deep down, over one connection: what a page costs, not how many fit. */
async function depth(
  data: DataSet,
  readers: readonly PageReader[],
  rounds: number,
  say: (line: string) => void,
): Promise<Section> {
  const largest = data.tenants[0];
  if (!largest) throw new Error('there is no tenant');
  const rows: (string | number | null)[][] = [];
  for (const limit of [1_000, 50]) {
    const deepest = Math.min(deepPage, Math.floor((largest.rows - 1) / limit));
    const [first, last] = await placesOf(data, largest.id, [1, (deepest - 1) * limit]);
    if (!first || !last) throw new Error('the largest tenant has too few rows');
    const measured = readers.filter((reader) => reader.name === 'pgbench' || reader.name === 'GET /logs');
    const cases = measured.flatMap((reader) => [
      { name: `${reader.name}, limit ${limit}, page 1`, run: () => reader.run([first], limit, 1) },
      { name: `${reader.name}, limit ${limit}, page ${deepest}`, run: () => reader.run([last], limit, 1) },
    ]);
    const rates = await inTurns(rounds, cases, (one) => one.run(), say, 'depth');
    cases.forEach((one, at) => {
      const mine = rates[at] ?? [];
      const before = rates[at - (at % 2)] ?? [];
      const ratios = mine.map((rate, round) => rate.p50Ms / (before[round]?.p50Ms ?? Number.NaN));
      rows.push([one.name, ...times(mine), at % 2 === 0 ? null : round2(median(ratios))]);
    });
  }
  return {
    title: 'Reads, page 1 and deep down',
    words: `The largest tenant, one connection. The ratio is the middle time of the deep page to that of page 1 in the same round; for pgbench, mean times.`,
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

/** A B C, B C A, …: for each of them, its rates in the order of the rounds. */
async function inTurns<One extends { name: string }>(
  rounds: number,
  all: readonly One[],
  run: (one: One) => Promise<Rate>,
  say: (line: string) => void,
  what: string,
): Promise<Rate[][]> {
  const rates: Rate[][] = all.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (let step = 0; step < all.length; step++) {
      const at = (round + step) % all.length;
      const one = all[at];
      if (!one) continue;
      const rate = await run(one);
      rates[at]?.push(rate);
      say(`reads, round ${round + 1}, ${what}: ${one.name}: ${Math.round(rate.pagesPerSecond)} pages/s`);
    }
  }
  return rates;
}

async function drawPlaces(data: DataSet): Promise<Place[]> {
  const tenants = data.tenants.slice(0, largestTenants);
  const places: Place[] = [];
  for (const [at, { id, rows }] of tenants.entries()) {
    const count = Math.ceil((randomPlaces - at) / tenants.length);
    const ranks = Array.from({ length: count }, () => 1 + Math.floor(Math.random() * Math.max(1, rows - 1_001)));
    places.push(...(await placesOf(data, id, ranks)));
  }
  return places;
}
