import type pg from 'pg';
import { withConnection } from '../connection/pool.ts';

export interface ScheduledTenant {
  readonly id: string;
  /** IANA name, as configured. */
  readonly timeZone: string;
  readonly connectedAtMs: number;
}

/** Every tenant of a cell that is not closed, or one, from the control database, and that database's clock: the schedule is computed, never stored. */
export async function readScheduledTenants(
  { control, cell }: { readonly control: pg.Pool; readonly cell: string },
  id: string | null = null,
): Promise<{ tenants: ScheduledTenant[]; clockMs: number }> {
  const { rows } = await withConnection(control, (client) =>
    client.query<{ id: string | null; time_zone: string; connected_at_ms: number; clock_ms: number }>(
      `select t.id, t.time_zone, (extract(epoch from t.connected_at) * 1000)::float8 as connected_at_ms,
              floor(extract(epoch from statement_timestamp()) * 1000)::float8 as clock_ms
         from (select 1) as always left join control.tenant t on ($1::uuid is null or t.id = $1) and t.cell = $2 and t.closed_at is null order by t.id`,
      [id, cell],
    ),
  );
  return {
    tenants: rows.flatMap((row) =>
      row.id === null ? [] : [{ id: row.id, timeZone: row.time_zone, connectedAtMs: row.connected_at_ms }],
    ),
    clockMs: rows[0]?.clock_ms ?? Number.NaN,
  };
}

export interface TakenPeriod {
  readonly tenantId: string;
  readonly period: string;
}

/** Which of these periods have their snapshot. */
export async function readTakenPeriods(
  models: pg.Pool,
  tenantIds: readonly string[],
  periods: readonly string[],
): Promise<TakenPeriod[]> {
  const { rows } = await withConnection(models, (client) =>
    client.query<{ tenant_id: string; period: string }>(
      'select tenant_id, period from models.taken_periods($1::uuid[], $2)',
      [tenantIds, periods],
    ),
  );
  return rows.map((row) => ({ tenantId: row.tenant_id, period: row.period }));
}

export interface WaitingSnapshotRequest {
  readonly id: string;
  readonly tenantId: string;
  readonly requestedBy: string;
  /** For how long it has waited, by the database's clock. */
  readonly waitedMs: number;
}

/** The waiting requests, oldest first, or one of them by id. */
export async function readWaitingSnapshotRequests(
  models: pg.Pool,
  of: { id: string } | { limit: number },
): Promise<WaitingSnapshotRequest[]> {
  const { rows } = await withConnection(models, (client) =>
    client.query<{ id: string; tenant_id: string; requested_by: string; waited_ms: number }>(
      `select id, tenant_id, requested_by, (extract(epoch from clock_timestamp() - requested_at) * 1000)::float8 as waited_ms
         from models.snapshot_request where state = 'waiting' and ($1::uuid is null or id = $1) order by requested_at, id limit $2`,
      'id' in of ? [of.id, 1] : [null, of.limit],
    ),
  );
  return rows.map((row) => ({
    id: row.id,
    tenantId: row.tenant_id,
    requestedBy: row.requested_by,
    waitedMs: row.waited_ms,
  }));
}

/** Marks a request as failed; the failure is shown to the requester. A request that was settled meanwhile is left unchanged. */
export async function failSnapshotRequest(models: pg.Pool, id: string, failure: string): Promise<void> {
  await withConnection(models, async (client) => {
    await client.query('begin read write');
    await client.query(
      `update models.snapshot_request set state = 'failed', failure = $2, settled_at = clock_timestamp() where id = $1 and state = 'waiting'`,
      [id, failure],
    );
    await client.query('commit');
  });
}
