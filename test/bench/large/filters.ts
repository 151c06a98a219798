import { type LogsFilterName, listLogs } from '@tenantscope/contract';
import { logFilterColumns } from '@tenantscope/store/read';
import { runStatement } from '../installation.ts';
import type { Section } from '../report.ts';
import { quantile } from '../statistics.ts';
import { historyDays, type LargeDatabase } from './database.ts';
import { type LargeClient, type Requested, requestRepeatedly, sumFailures } from './http-client.ts';

const limit = 50;
/** Of one value: as many requests as take this time, at least two and at most `requestsMax`. */
const valueMs = 2_500;
const requestsMax = 30;
const dayMs = 86_400_000;

type Rarity = 'frequent' | 'rare' | 'absent';
export interface FilterValue {
  readonly filter: LogsFilterName;
  readonly rarity: Rarity;
  readonly value: string;
}

/** Of one value: the first request, for which blocks may have to be read from disk, and those after it, from a warm cache. */
export interface FilterTiming extends Requested {
  readonly firstMs: number;
}

/** The times of the first page of each value, by filter and rarity. */
export type FilterTimings = Map<string, FilterTiming>;

/** Requests the first page, newest first, of a frequent, a rare and an absent value of every equality filter. */
export async function measureFilters(
  { database, ...served }: { database: LargeDatabase; client: LargeClient; postgresPid: number },
  log: (line: string) => void,
  chosen?: readonly FilterValue[],
): Promise<FilterTimings> {
  const timings: FilterTimings = new Map();
  for (const { filter, rarity, value } of chosen ?? (await chooseValues(database))) {
    const path = `/logs?limit=${limit}&${filter}=${encodeURIComponent(value)}`;
    const first = await served.client.request(path);
    const requested = await requestRepeatedly(served, path, { min: 2, max: requestsMax, ms: valueMs });
    timings.set(`${filter}, ${rarity}`, { ...requested, firstMs: round1(first.ms) });
    log(`filters: ${filter}, ${rarity}: ${quantileOf(requested, 0.5)} ms ${sumFailures(requested)}`);
  }
  return timings;
}

export const quantileOf = (requested: Requested | undefined, share: number): number | null =>
  requested === undefined
    ? null
    : round1(
        quantile(
          requested.timings.map(({ ms }) => ms),
          share,
        ),
      );

/**
 * Frequent is the most common value in the statistics of the middle of the history. Rare is the least common one of a hundred rows of the first day: a
 * search from the newest row on reads everything. Values of enumerations have no rare or absent one beyond those.
 */
export async function chooseValues(database: LargeDatabase): Promise<FilterValue[]> {
  const { tenantIds, endsAtMs } = database.state;
  const from = new Date(endsAtMs - historyDays * dayMs).toISOString();
  const sample = await runStatement(
    database.superuser,
    `select * from models.audit_log where tenant_id = '${tenantIds[0]}' and discovered_at >= '${from}' order by discovered_at, id limit 100`,
  );
  const common = await readCommonValues(database);
  return Object.entries(listLogs.filters).flatMap(([name, { kind }]) => {
    const filter = name as LogsFilterName;
    if (kind === 'flag')
      return ['true', 'false'].map(
        (value) => ({ filter, rarity: value === 'true' ? 'frequent' : 'rare', value }) as const,
      );
    const column = logFilterColumns[filter];
    const shares = common.get(column) ?? new Map<string, number>();
    const frequent = [...shares.entries()].sort((a, b) => b[1] - a[1])[0]?.[0];
    const present = [...new Set(sample.flatMap((row) => (row[column] == null ? [] : [String(row[column])])))];
    const rare = present.toSorted((a, b) => (shares.get(a) ?? 0) - (shares.get(b) ?? 0))[0];
    return [
      ...(frequent === undefined ? [] : [{ filter, rarity: 'frequent', value: frequent } as const]),
      ...(rare === undefined || rare === frequent ? [] : [{ filter, rarity: 'rare', value: rare } as const]),
      ...(kind === 'texts' ? [{ filter, rarity: 'absent', value: 'no-such-value' } as const] : []),
    ];
  });
}

/** The most common values of each column with their shares, of the partition in the middle. */
async function readCommonValues({ superuser, state }: LargeDatabase): Promise<Map<string, Map<string, number>>> {
  const middle = new Date(state.endsAtMs - (historyDays / 2) * dayMs).toISOString();
  const rows = await runStatement(
    superuser,
    `select attname as name, common.value, common.share
       from pg_stats, unnest(most_common_vals::text::text[], most_common_freqs) as common (value, share)
      where schemaname = 'models'
        and tablename = (select name from models.audit_log_partition where from_at <= '${middle}' and '${middle}' < to_at)`,
  );
  const byColumn = new Map<string, Map<string, number>>();
  for (const { name, value, share } of rows) {
    const column = byColumn.get(String(name)) ?? new Map<string, number>();
    column.set(String(value), Number(share));
    byColumn.set(String(name), column);
  }
  return byColumn;
}

/** The table of two sizes side by side. */
export function compareFilters(rows: number, large: FilterTimings, small: FilterTimings | null): Section {
  return {
    title: `First page of ${limit} rows of each equality filter, ${rows} rows in the table`,
    description:
      'Newest first, of the large tenant, one request at a time: the first one, and those after it, from a warm cache. Rare: the least common of the values in the first rows of the history. A request that failed counts with the time until it failed. Processor: of PostgreSQL per request.',
    columns: [
      '',
      'first ms',
      'p50 ms',
      'p99 ms',
      'requests',
      'processor ms',
      'failures',
      'p50 ms at a tenth',
      'processor ms at a tenth',
      'failures at a tenth',
    ],
    rows: [...large].map(([name, requested]) => [
      name,
      requested.firstMs,
      quantileOf(requested, 0.5),
      quantileOf(requested, 0.99),
      requested.timings.length,
      requested.postgresMs,
      sumFailures(requested),
      quantileOf(small?.get(name), 0.5),
      small?.get(name)?.postgresMs ?? null,
      sumFailures(small?.get(name)),
    ]),
  };
}

const round1 = (value: number): number => Math.round(value * 10) / 10;
