import type pg from 'pg';
import { withConnection } from '../../connection/pool.ts';
import { readTenantMoves, type TenantMoves } from './tenant-moves.ts';

/** What a server said of itself. */
export interface NodeReading {
  readonly serverStartedMs: number;
  /** By source, epoch ms. Empty while the server has no open epoch. */
  readonly throughMs: Map<string, number>;
  /** False from a promotion or restore until ingestion or `restore finish` opens the epoch. */
  readonly hasOpenEpoch: boolean;
  readonly clockMs: number;
  readonly epoch: NodeEpoch;
  /** Lower-case names of the standbys that commits wait for; null on a standby, where the setting says nothing. */
  readonly awaited: ReadonlySet<string> | null;
  /** Tenants whose records belong to another cell; read after the lanes, or unchanged since. */
  readonly moves: TenantMoves;
  /** By performance.now(). */
  readonly readAtMs: number;
}

/** How many promotions the rows of a server have been through, and its newest timeline. */
export interface NodeEpoch {
  readonly number: number;
  readonly timeline: string;
}

const isNewer = (one: NodeEpoch, other: NodeEpoch): boolean =>
  one.number === other.number ? one.timeline > other.timeline : one.number > other.number;

/** Whether one of the servers was promoted, or follows one that was, and this one does not. */
export const isSuperseded = (own: NodeReading, others: readonly (NodeReading | null)[]): boolean =>
  others.some((other) => other !== null && other.throughMs.size > 0 && isNewer(other.epoch, own.epoch));

/** Reads how far the lanes of a server are, many times a second. */
export async function readNode(node: pg.Pool, cached: TenantMoves | null): Promise<NodeReading> {
  const { rows } = await withConnection(node, (client) =>
    client.query<{
      source: string;
      through_ms: number;
      clock_ms: number;
      started_ms: number;
      number: number;
      timeline: string | null;
      awaited: string | null;
      moves_version: string | null;
    }>({
      name: 'watermark',
      text: `select source, (extract(epoch from min(settled_at)) * 1000)::float8 as through_ms,
                    (extract(epoch from clock_timestamp()) * 1000)::float8 as clock_ms,
                    (extract(epoch from pg_postmaster_start_time()) * 1000)::float8 as started_ms,
                    (select count(*)::int from models.ingest_epoch) as number, (select max(timeline) from models.ingest_epoch) as timeline,
                    case when not pg_is_in_recovery() then current_setting('synchronous_standby_names') end as awaited,
                    (select version from models.tenant_move_version) as moves_version
               from models.lane_watermark
              where (select exists (select from models.ingest_epoch where timeline = current_setting('tenantscope.timeline', true) and closed_at is null)
                         or models.has_open_epoch())
              group by source`,
    }),
  );
  const readAtMs = performance.now();
  const [row] = rows;
  // Without a row there is no lane, or no open epoch.
  const hasOpenEpoch = row !== undefined || (await readOpenEpoch(node));
  const moves =
    cached !== null && (row === undefined || String(row.moves_version) === cached.version)
      ? cached
      : await readTenantMoves(node);
  return {
    serverStartedMs: row?.started_ms ?? 0,
    throughMs: new Map(rows.map(({ source, through_ms }) => [source, through_ms])),
    hasOpenEpoch,
    clockMs: row?.clock_ms ?? Number.NaN,
    epoch: { number: row?.number ?? 0, timeline: row?.timeline ?? '' },
    awaited: row?.awaited == null ? null : parseStandbyNames(row.awaited),
    moves,
    readAtMs,
  };
}

async function readOpenEpoch(node: pg.Pool): Promise<boolean> {
  const { rows } = await withConnection(node, (client) =>
    client.query<{ open: boolean }>({ name: 'epoch', text: 'select models.has_open_epoch() as open' }),
  );
  return rows[0]?.open === true;
}

/**
 * Two polls may overtake each other; a watermark never goes back. It ends with the epoch: of a restored database nothing is known, and a former primary
 * gives up rows when it follows its successor. A standby that crashed shows an earlier state than before, until it has replayed the WAL that it has, and
 * after a failover the same address may lead to another server: readings of the server that rows are read from are merged with those of the same run
 * only. A promotion replays all of it first, so those of the other standbys hold.
 */
export function mergeReadings(before: NodeReading | null, now: NodeReading, isReadFrom: boolean): NodeReading {
  if (before === null || now.throughMs.size === 0 || before.throughMs.size === 0) return now;
  if (isReadFrom && before.serverStartedMs !== now.serverStartedMs) return now;
  if (now.epoch.timeline !== before.epoch.timeline) return now;
  for (const [source, throughMs] of before.throughMs) {
    now.throughMs.set(source, Math.max(throughMs, now.throughMs.get(source) ?? throughMs));
  }
  // With the later watermark, the later list: it bounds that watermark for tenants that left.
  return BigInt(before.moves.version) > BigInt(now.moves.version) ? { ...now, moves: before.moves } : now;
}

/** The names in a value of synchronous_standby_names, in lower case, since PostgreSQL ignores their case: `FIRST 1 ("pg-1", pg_2)`, `ANY 1 (*)`, `pg_1`. */
export function parseStandbyNames(setting: string): ReadonlySet<string> {
  const list = /\((.*)\)/s.exec(setting)?.[1] ?? setting;
  const names = list.matchAll(/"((?:[^"]|"")*)"|([^\s,"]+)/g);
  return new Set(
    Array.from(names, ([, quoted, plain]) => (quoted?.replaceAll('""', '"') ?? plain ?? '').toLowerCase()),
  );
}
