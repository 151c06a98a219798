import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '@tenantscope/local';
import { type LogsPageQuery, logsPageStatement } from '@tenantscope/store';
import type { ProductProcess } from '../product/processes.ts';
import { startApi } from './api-process.ts';
import { type DataSet, makeColumns, makeDataSet, type Place, placesOf } from './data-set.ts';
import type { Installation } from './installation.ts';
import { putLoad } from './load.ts';
import type { LoadOrder } from './load-client.ts';
import { findPgbench, runPgbench } from './pgbench.ts';
import { processorTimeUs } from './processor-time.ts';
import type { Section } from './report.ts';
import { median } from './statistics.ts';

export interface ReadsOptions {
  rows: number;
  rounds: number;
}

const durationMs = 4_000;
const connections = 8;
const randomPlaces = 64;
const largestTenants = 20;
const deepPage = 5_000;

/** Somebody who fetches pages. */
interface Reader {
  name: string;
  run(places: readonly Place[], limit: number, connections: number): Promise<Rate>;
}

interface Rate {
  pagesPerSecond: number;
  p50Ms: number;
  p99Ms: number | null;
  /** Processor time a page of the serving process; null where there is none. */
  nodeUs: number | null;
}

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
  await using plain = await startStringify(data.database.superuser);
  const upperMs = Date.now();
  const readers: Reader[] = [
    ...(pgbench === null ? [] : [fetchingOnly(pgbench, data.database.superuser, upperMs)]),
    throughApi('GET /logs', api, data),
    stringifying(plain),
  ];
  if (pgbench === null) say('reads: pgbench is left out: it is not installed and cannot be');

  const places = await drawPlaces(data);
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
  readers: readonly Reader[],
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
    columns: ['', 'pages/s', 'to pgbench', 'to stringify', 'p50 ms', 'p99 ms', 'Node µs'],
    rows: readers.map((reader, at) => {
      const mine = rates[at] ?? [];
      return [
        reader.name,
        Math.round(median(mine.map((rate) => rate.pagesPerSecond))),
        ratio(mine, to('pgbench')),
        ratio(mine, to('stringify')),
        ...times(mine),
        microseconds(mine),
      ];
    }),
  };
}

/** The same reader at the first page and deep down, over one connection: what a page costs, not how many fit. */
async function depth(
  data: DataSet,
  readers: readonly Reader[],
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
    const measured = readers.filter((reader) => reader.name !== 'stringify');
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

function microseconds(rates: readonly Rate[]): number | null {
  const values = rates.map((rate) => rate.nodeUs).filter((value) => value !== null);
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

function fetchingOnly(program: string, url: string, upperMs: number): Reader {
  return {
    name: 'pgbench',
    async run(places, limit, clients) {
      const statements = places.map((place) => selectInside(place, limit, upperMs));
      const { perSecond, meanMs } = await runPgbench(program, { url, statements, connections: clients, durationMs });
      return { pagesPerSecond: perSecond, p50Ms: meanMs, p99Ms: null, nodeUs: null };
    },
  };
}

/** The select that GET /logs copies out, taken from its own statement. */
function selectInside({ tenantId, atMs, id }: Place, limit: number, upperMs: number): string {
  const query: LogsPageQuery = {
    tenantId,
    sort: 'discoveredAtAsc',
    discovered: { fromMs: null, toMs: upperMs },
    occurred: { fromMs: null, toMs: null },
    filters: {},
    after: { atMs, id },
    limit,
    timeoutMs: 5_000,
  };
  const select = /copy \((.+)\) to stdout/.exec(logsPageStatement(query))?.[1];
  if (select === undefined) throw new Error('the statement of a page is no COPY of a select any more');
  return select;
}

function throughApi(name: string, api: ProductProcess & { port: number }, data: DataSet): Reader {
  const cursors = new Map<string, string>();
  /** Pages of one row tell the cursor behind it, whatever limit is asked for afterwards. */
  const cursorAt = async (place: Place): Promise<string> => {
    const known = cursors.get(place.id);
    if (known !== undefined) return known;
    const at = new Date(place.atMs).toISOString();
    const query = `sort=discoveredAtAsc&discoveredFrom=${at}&limit=1`;
    const answer = await fetch(`http://127.0.0.1:${api.port}/api/v1/logs?${query}`, {
      headers: { authorization: `Bearer ${data.secrets[cursors.size]}`, 'x-tenant-id': place.tenantId },
    });
    const body = (await answer.json()) as { data: { id: string }[]; pagination: { nextCursor: string } };
    if (body.data[0]?.id !== place.id)
      throw new Error(`another row stands at ${at}: ${JSON.stringify(body).slice(0, 300)}`);
    cursors.set(place.id, body.pagination.nextCursor);
    return body.pagination.nextCursor;
  };
  return {
    name,
    async run(places, limit, clients) {
      const requests: LoadOrder['requests'] = await Promise.all(
        places.map(async (place) => ({
          path: `/api/v1/logs?cursor=${encodeURIComponent(await cursorAt(place))}&limit=${limit}`,
          headers: { 'x-tenant-id': place.tenantId },
        })),
      );
      return underLoad(api.child.pid ?? 0, {
        port: api.port,
        connections: clients,
        durationMs,
        requests,
        secrets: data.secrets,
      });
    },
  };
}

function stringifying(server: { port: number; pid: number }): Reader {
  return {
    name: 'stringify',
    run(places, limit, clients) {
      const requests = places.map(({ tenantId, atMs, id }) => ({
        path: `/page?tenant=${tenantId}&at=${new Date(atMs).toISOString()}&id=${id}&limit=${limit}`,
      }));
      return underLoad(server.pid, { port: server.port, connections: clients, durationMs, requests, secrets: [] });
    },
  };
}

async function underLoad(pid: number, order: LoadOrder): Promise<Rate> {
  const before = processorTimeUs(pid);
  const outcome = await putLoad(order);
  return {
    pagesPerSecond: (outcome.answers / outcome.durationMs) * 1_000,
    p50Ms: outcome.p50Ms,
    p99Ms: outcome.p99Ms,
    nodeUs: (processorTimeUs(pid) - before) / outcome.answers,
  };
}

async function startStringify(url: string): Promise<{ port: number; pid: number } & AsyncDisposable> {
  const port = await freePort();
  const child = fork(fileURLToPath(new URL('./stringify-server.ts', import.meta.url)), [String(port), url]);
  await once(child, 'message');
  return {
    port,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
