import type pg from 'pg';
import { withConnection } from '../connection/pool.ts';
import type { CollectionGap, CollectorState, RunFailure } from './collector-state.ts';

/** Renews a lease. False: it ended, and another process may have the stream. */
export function renewLease(control: pg.Pool, leaseId: string, leaseMs: number): Promise<boolean> {
  return change(control, `leased_until = clock_timestamp() + $2 * interval '1 ms'`, [leaseId, leaseMs]);
}

/**
 * Stores how far a run has come. Call it only after Kafka has acknowledged everything before the position. False: the lease ended, nothing was stored. Failures are counted from
 * the last progress on, which a page that each run stores again is not.
 */
export function advanceStream(
  control: pg.Pool,
  leaseId: string,
  {
    position,
    records,
    gaps,
    isProgress,
  }: {
    readonly position: unknown;
    readonly records: number;
    readonly gaps: readonly CollectionGap[];
    readonly isProgress: boolean;
  },
): Promise<boolean> {
  return change(
    control,
    `position = $2::jsonb, record_count = record_count + $3, gaps = $4::jsonb,
     failure_count = case when $5 then 0 else failure_count end`,
    [leaseId, JSON.stringify(position), records, JSON.stringify(gaps), isProgress],
  );
}

/** Stores the status that was published. */
export function recordReport(
  control: pg.Pool,
  leaseId: string,
  report: { readonly status: object; readonly atMs: number; readonly state: CollectorState },
): Promise<boolean> {
  return change(control, `reported = $2::jsonb, reported_at = to_timestamp($3 / 1000.0), reported_state = $4`, [
    leaseId,
    JSON.stringify(report.status),
    report.atMs,
    report.state,
  ]);
}

/** How a run ended, and when the next one is due. */
export interface RunResult {
  readonly dueInMs: number;
  /** When the last request that found nothing newer was sent; null: the run ended before. */
  readonly completedAtMs: number | null;
  /** Why the run failed; null: it did not. */
  readonly failure: RunFailure | null;
}

/** Ends the lease of a run. False: it had ended before. */
export function finishRun(
  control: pg.Pool,
  leaseId: string,
  { dueInMs, completedAtMs, failure }: RunResult,
): Promise<boolean> {
  return change(
    control,
    `due_at = clock_timestamp() + $2 * interval '1 ms',
     completed_at = case when $3::float8 is null then completed_at
                         else greatest(case when completed_at <= clock_timestamp() then completed_at end, to_timestamp($3 / 1000.0)) end,
     failure_count = case when $4::text is not null then failure_count + 1 when $3::float8 is not null then 0 else failure_count end,
     failure = case when $4::text is not null then $4 when $3::float8 is not null then null else failure end,
     failure_kind = case when $4::text is not null then $5 when $3::float8 is not null then null else failure_kind end,
     failed_at = case when $4::text is not null then clock_timestamp() else failed_at end,
     lease_id = null, leased_until = null, leased_by = null`,
    [leaseId, dueInMs, completedAtMs, failure?.message ?? null, failure?.kind ?? null],
  );
}

function change(control: pg.Pool, assignments: string, values: readonly unknown[]): Promise<boolean> {
  return withConnection(control, async (client) => {
    const { rowCount } = await client.query(`update control.collector_stream set ${assignments} where lease_id = $1`, [
      ...values,
    ]);
    return rowCount === 1;
  });
}
