import { runStatement } from '../installation.ts';
import { historyDays, type LargeDatabase } from './database.ts';

/** Where a page begins: at the first row of the large tenant at or after an instant. */
export interface PagePlace {
  readonly name: string;
  readonly tenantId: string;
  readonly atMs: number;
  readonly id: string;
}

const dayMs = 86_400_000;

/** Finds a place by a share of the history; 1 is the last full page of `limit` rows. */
export async function findPlace(
  database: LargeDatabase,
  share: number,
  limit: number,
  name: string,
): Promise<PagePlace> {
  const { tenantIds, endsAtMs } = database.state;
  const tenantId = tenantIds[0] as string;
  const at = new Date(endsAtMs - historyDays * dayMs * (1 - share)).toISOString();
  const select = `select (extract(epoch from discovered_at) * 1000)::float8 as at_ms, id from models.audit_log where tenant_id = '${tenantId}'`;
  const [row] = await runStatement(
    database.superuser,
    share === 1
      ? `${select} order by discovered_at desc, id desc offset ${limit} limit 1`
      : `${select} and discovered_at >= '${at}' order by discovered_at, id limit 1`,
  );
  if (!row) throw new Error(`${database.name} has no row at ${at}`);
  return { name, tenantId, atMs: Number(row.at_ms), id: String(row.id) };
}

export const pagePath = ({ atMs }: PagePlace, limit: number): string =>
  `/logs?sort=discoveredAtAsc&discoveredFrom=${new Date(atMs).toISOString()}&limit=${limit}`;
