import { collectBuffersWithHeap } from '@tenantscope/runtime';
import { openPool } from '@tenantscope/store/connection';
import { completeSeal, findSealable, listLogTenants, sealNext } from '@tenantscope/store/ingest';
import { runStatement } from '../installation.ts';
import { findPgbench } from '../pgbench.ts';
import { ownProcessorTimeUs, processorTimeUs } from '../processor-time.ts';
import type { Section } from '../report.ts';
import { median } from '../statistics.ts';
import { historyDays, type LargeDatabase, openLargeDatabase } from './database.ts';
import { fillLog } from './fill.ts';
import { chooseValues, type FilterTimings, measureFilters, quantileOf } from './filters.ts';
import { type LargeClient, type Requested, requestRepeatedly, sumFailures } from './http-client.ts';
import { startLargeServices } from './installation.ts';
import { describeFill, type LargeOutcome, serve } from './large.ts';
import { measurePage, measurePgbench, type PageRate, type PageRun } from './pages.ts';
import { findPlace } from './positions.ts';

const limit = 1_000;
const round2 = (value: number): number => Math.round(value * 100) / 100;

/** Fills a database, always a new one, and measures pages and disk before and after its closed partitions are sealed, and the sealing itself. */
export async function benchSealed(
  { rows, repetitions }: { rows: number; repetitions: number },
  log: (line: string) => void,
): Promise<LargeOutcome> {
  // As ingest processes do: without it sealing takes 63 to 65 instead of 56 to 59 µs a row.
  collectBuffersWithHeap();
  await using services = await startLargeServices();
  const database = await openLargeDatabase(services.addresses, { rows, fresh: true });
  await fillLog(database, log);
  const plain = await measurePartitions(database, 'audit_log');
  const compressed = await copyCompressed(database);
  await using served = await serve(services, database);
  const { api, client, secrets, postgresPid } = served;
  const run: PageRun = { database, api, client, secrets, services: { postgres: postgresPid } };
  const places = await Promise.all([
    findPlace(database, 0.1, limit, 'early'),
    findPlace(database, 0.5, limit, 'middle'),
  ]);
  const values = await chooseValues(database);
  const measureSearches = async () => ({
    filters: await measureFilters({ ...served, database }, log, values),
    summaries: await measureSummaries({ ...served, database }, log),
  });
  const before = await measurePlaces(run, places, repetitions, log);
  const searchedBefore = await measureSearches();
  const sealing = await sealAll(database, postgresPid, log);
  await runStatement(database.superuser, 'vacuum (freeze, analyze)');
  const sealed = await measurePartitions(database, 'log_sealed');
  const after = await measurePlaces(run, places, repetitions, log);
  const searchedAfter = await measureSearches();
  const [version] = await runStatement(database.superuser, `select current_setting('server_version') as version`);
  const perRow = (bytes: number, of: number) => Math.round((bytes / of) * 10) / 10;
  return {
    postgresVersion: String(version?.version),
    sections: [
      describeFill(database),
      {
        title: `Disk of closed partitions, ${plain.rows} rows`,
        description:
          'Bytes per row with indexes. Compressed: the oldest partition in the order of pages, its values compressed with lz4, or pglz where lz4 is not built, which PostgreSQL does in rows of more than 2,032 bytes only. Sealed: as blocks. Blocks of filters are needed by all three and left out.',
        columns: ['', 'rows', 'bytes per row', 'of plain'],
        rows: [
          ['plain', plain.rows, perRow(plain.bytes, plain.rows), 1],
          [
            'compressed',
            compressed.rows,
            perRow(compressed.bytes, compressed.rows),
            round2(compressed.bytes / compressed.rows / (plain.bytes / plain.rows)),
          ],
          [
            'sealed',
            sealed.rows,
            perRow(sealed.bytes, sealed.rows),
            round2(sealed.bytes / sealed.rows / (plain.bytes / plain.rows)),
          ],
        ],
      },
      comparePages(before, after),
      compareSearches(searchedBefore, searchedAfter),
      sealing,
    ],
  };
}

/** Of partitions that ended before the history did. */
async function measurePartitions(
  { superuser, state }: LargeDatabase,
  parent: 'audit_log' | 'log_sealed',
): Promise<{ rows: number; bytes: number }> {
  const names = `select replace(name, 'audit_log_', '${parent}_') as name from models.audit_log_partition where to_at <= '${new Date(state.endsAtMs).toISOString()}'`;
  const [size] = await runStatement(
    superuser,
    `select sum(pg_total_relation_size(('models.' || name)::regclass))::float8 as bytes from (${names}) p`,
  );
  const amount = parent === 'audit_log' ? 'count(*)' : 'sum(row_count)';
  const at = parent === 'audit_log' ? 'discovered_at' : 'first_at';
  const [counted] = await runStatement(
    superuser,
    `select ${amount}::float8 as rows from models.${parent}
      where ${at} < (select max(to_at) from models.audit_log_partition where to_at <= '${new Date(state.endsAtMs).toISOString()}')`,
  );
  return { rows: Number(counted?.rows), bytes: Number(size?.bytes) };
}

/** A copy of the oldest partition in the order of pages, whose rows are compressed. */
async function copyCompressed({ superuser }: LargeDatabase): Promise<{ rows: number; bytes: number }> {
  const [oldest] = await runStatement(
    superuser,
    'select name from models.audit_log_partition order by from_at offset 1 limit 1',
  );
  const [lz4] = await runStatement(
    superuser,
    `select case when 'lz4' = any (enumvals) then 'lz4' else 'pglz' end as method from pg_settings where name = 'default_toast_compression'`,
  );
  await runStatement(
    superuser,
    `create table bench.compressed (like models.${oldest?.name} including defaults) with (toast_tuple_target = 256);
     alter table bench.compressed alter column member_lines set compression ${lz4?.method}, alter column member_lines set storage main;
     insert into bench.compressed select * from models.${oldest?.name} order by tenant_id, discovered_at, id;
     create index on bench.compressed (tenant_id, discovered_at, id)`,
  );
  await runStatement(superuser, 'vacuum (freeze) bench.compressed');
  const [size] = await runStatement(
    superuser,
    `select pg_total_relation_size('bench.compressed')::float8 as bytes, (select count(*) from bench.compressed)::float8 as rows`,
  );
  return { rows: Number(size?.rows), bytes: Number(size?.bytes) };
}

type Rates = ReadonlyMap<string, readonly PageRate[]>;

async function measurePlaces(
  run: PageRun,
  places: Awaited<ReturnType<typeof findPlace>>[],
  repetitions: number,
  log: (line: string) => void,
): Promise<Rates> {
  const pgbench = await findPgbench();
  const isStored = (
    await runStatement(run.database.superuser, 'select sealed_before is null as yes from models.retention')
  )[0]?.yes;
  const rates = new Map<string, PageRate[]>();
  for (let round = 0; round < repetitions; round++)
    for (const place of places) {
      const measured: [string, PageRate][] = [
        [place.name, await measurePage(run, place, 'identity')],
        [`${place.name}, gzip`, await measurePage(run, place, 'gzip')],
      ];
      if (pgbench !== null && isStored)
        measured.push([`${place.name}, pgbench`, await measurePgbench(run, pgbench, place)]);
      for (const [name, rate] of measured) {
        rates.set(name, [...(rates.get(name) ?? []), rate]);
        log(`pages: ${name}: ${Math.round(rate.perSecond)}/s, ${Math.round(rate.perCore)}/s per core`);
      }
    }
  return rates;
}

function comparePages(before: Rates, after: Rates): Section {
  const of = (rates: Rates, name: string, figure: 'perSecond' | 'perCore') => {
    const found = rates.get(name);
    return found ? median(found.map((rate) => rate[figure])) : null;
  };
  const ratio = (one: number | null, other: number | null) => (one && other ? round2(one / other) : null);
  return {
    title: `Pages of ${limit} rows before and after sealing`,
    description:
      'Four connections request one page of the large tenant again and again. Pages a second per core: one divided by the processor time of a page, of the api process and PostgreSQL together (pgbench: of PostgreSQL). pgbench fetches the rows before they are sealed. All in one run, one after the other.',
    columns: ['', 'before, per core', 'sealed, per core', 'ratio', 'before, /s', 'sealed, /s', 'sealed to pgbench'],
    rows: [...before.keys()].map((name) => {
      const [then, now] = [of(before, name, 'perCore'), of(after, name, 'perCore')];
      const [thenRate, nowRate] = [of(before, name, 'perSecond'), of(after, name, 'perSecond')];
      const pgbench = of(before, `${name.split(',')[0]}, pgbench`, 'perSecond');
      return [name, then, now, ratio(now, then), thenRate, nowRate, ratio(nowRate, pgbench)].map((value, index) =>
        typeof value === 'number' && index !== 3 && index !== 6 ? Math.round(value) : value,
      );
    }),
  };
}

const summaryKeys = ['action', 'actorId', 'severity,outcome'];
const summaryDays = 3;
const dayMs = 86_400_000;

/** Counts of some days in the middle of the history. */
async function measureSummaries(
  { database, ...served }: { database: LargeDatabase; client: LargeClient; postgresPid: number },
  log: (line: string) => void,
): Promise<Map<string, Requested>> {
  const fromMs = database.state.endsAtMs - (historyDays / 2) * dayMs;
  const [from, to] = [fromMs, fromMs + summaryDays * dayMs].map((ms) => new Date(ms).toISOString());
  const timings = new Map<string, Requested>();
  for (const by of summaryKeys) {
    const path = `/logs/summary?by=${by}&discoveredFrom=${from}&discoveredTo=${to}`;
    const requested = await requestRepeatedly(served, path, { min: 5, max: 30, ms: 2_500 });
    timings.set(`summary by ${by}, ${summaryDays} days`, requested);
    log(`summaries: ${by}: ${quantileOf(requested, 0.5)} ms ${sumFailures(requested)}`);
  }
  return timings;
}

interface Searches {
  readonly filters: FilterTimings;
  readonly summaries: Map<string, Requested>;
}

function compareSearches(before: Searches, after: Searches): Section {
  const all = ({ filters, summaries }: Searches) => new Map<string, Requested>([...filters, ...summaries]);
  const [then, now] = [all(before), all(after)];
  return {
    title: 'First page of 50 rows of each equality filter, and summaries, before and after sealing',
    description:
      'Newest first, of the large tenant, from a warm cache, one request at a time. Rare: the least common of the values in the first rows of the history. A request that failed counts with the time until it failed.',
    columns: ['', 'before, p50 ms', 'before, p99 ms', 'sealed, p50 ms', 'sealed, p99 ms', 'failures'],
    rows: [...then].map(([name, requested]) => [
      name,
      quantileOf(requested, 0.5),
      quantileOf(requested, 0.99),
      quantileOf(now.get(name), 0.5),
      quantileOf(now.get(name), 0.99),
      [sumFailures(requested), sumFailures(now.get(name))].filter((text) => text !== '').join(', sealed: '),
    ]),
  };
}

/** Seals every closed partition without the rests that ingestion takes. */
async function sealAll(database: LargeDatabase, postgresPid: number, log: (line: string) => void): Promise<Section> {
  const pool = openPool(database.roles.ingest, { name: 'seal', maxConnections: 2, queryTimeoutMs: 120_000 });
  await runStatement(database.superuser, 'update models.retention set seal_after_days = 0');
  const throughMs = database.state.endsAtMs;
  const readWal = async () => {
    const [at] = await runStatement(
      database.superuser,
      `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`,
    );
    return Number(at?.bytes);
  };
  const walBytes = await readWal();
  const [startedMs, nodeUs, postgresUs] = [performance.now(), ownProcessorTimeUs(), processorTimeUs(postgresPid)];
  let [rows, completingMs] = [0, 0];
  try {
    for (let next = await findSealable(pool, throughMs); next !== null; next = await findSealable(pool, throughMs)) {
      for (const tenantId of await listLogTenants(pool))
        for (let isDone = false; !isDone; ) {
          const step = await sealNext(pool, tenantId, next, throughMs);
          rows += step.rows;
          isDone = step.isDone;
        }
      const completedMs = performance.now();
      if (!(await completeSeal(pool, next, throughMs))) throw new Error(`${next.name} could not be sealed`);
      completingMs += performance.now() - completedMs;
      log(`sealed ${next.name}: ${rows} rows`);
    }
  } finally {
    await pool.end();
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  const us = (spent: number) => Math.round((spent / rows) * 10) / 10;
  const fill = database.state.filled.at(-1);
  return {
    title: `Sealing ${rows} rows`,
    description:
      'One tenant after the other, without rests; with the blocks that end at the ends of partitions. Ingestion: the fill of this run.',
    columns: ['', 'rows/s', 'Node µs per row', 'PostgreSQL µs per row', 'WAL bytes per row', 'completing, s'],
    rows: [
      [
        'sealing',
        Math.round(rows / seconds),
        us(ownProcessorTimeUs() - nodeUs),
        us(processorTimeUs(postgresPid) - postgresUs),
        Math.round(((await readWal()) - walBytes) / rows),
        round2(completingMs / 1_000),
      ],
      [
        'ingestion',
        fill ? Math.round(fill.rows / fill.seconds) : null,
        fill ? Math.round(fill.nodeUs / fill.rows) : null,
        null,
        null,
        null,
      ],
    ],
  };
}
