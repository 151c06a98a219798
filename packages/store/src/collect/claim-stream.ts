import type pg from 'pg';
import { withConnection } from '../connection/pool.ts';
import type { CollectionGap, CollectorState, RunFailure } from './collector-state.ts';

/** A stream whose lease this process has, and the collector that it belongs to. Times are epoch ms. */
export interface ClaimedStream {
  readonly leaseId: string;
  readonly collectorId: string;
  readonly tenantId: string;
  readonly provider: string;
  readonly stream: string;
  readonly url: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secretFile: string;
  readonly intervalMs: number;
  readonly startAtMs: number;
  readonly createdAtMs: number;
  readonly state: CollectorState;
  /** Null: nothing was collected. */
  readonly position: unknown;
  readonly gaps: readonly CollectionGap[];
  readonly completedAtMs: number | null;
  readonly failureCount: number;
  /** Null: the last run did not fail. */
  readonly failure: RunFailure | null;
  /** The sourceStatus that was published last, and when. */
  readonly reported: Readonly<Record<string, unknown>> | null;
  readonly reportedAtMs: number | null;
  readonly reportedState: CollectorState | null;
}

export interface ClaimOptions {
  /** The providers that this process can collect from. */
  readonly providers: readonly string[];
  readonly leaseMs: number;
  /** Named in the list of collectors. */
  readonly worker: string;
  /** Leave out streams whose last run failed. */
  readonly withoutFailed?: boolean;
  /** Tenants whose streams this process runs: those of others are first. */
  readonly runningTenants?: readonly string[];
}

/**
 * Claims the stream that has been due for the longest and that no other process has, of a tenant without a run in this process if there is one; null if no stream is due. A stream is due at its time, and when
 * the state of its collector is not reported yet. A lease that is not renewed ends by the clock of the database. Times further ahead than any wait or lease were
 * stored before that clock was set back, and do not count.
 */
export function claimStream(
  control: pg.Pool,
  { providers, leaseMs, worker, withoutFailed = false, runningTenants = [] }: ClaimOptions,
): Promise<ClaimedStream | null> {
  return withConnection(control, async (client) => {
    await client.query(registerStreams, [providers]);
    const values = [providers, leaseMs, worker, withoutFailed, runningTenants];
    const { rows } = await client.query<ClaimedStream>(claim, values);
    return rows[0] ?? null;
  });
}

/** The prefix of the topics of the tenant's cell, in which it is now; null: that of the configuration. */
export function readTopicPrefix(control: pg.Pool, tenantId: string): Promise<string | null> {
  return withConnection(control, async (client) => {
    const { rows } = await client.query<{ topicPrefix: string | null }>(
      'select l.topic_prefix as "topicPrefix" from control.tenant t join control.cell l on l.id = t.cell where t.id = $1',
      [tenantId],
    );
    return rows[0]?.topicPrefix ?? null;
  });
}

const registerStreams = `
  insert into control.collector_stream (collector_id, stream)
  select c.id, stream from control.collector c, unnest(c.streams) stream
   where c.state = 'active' and c.provider = any($1::text[])
     and not exists (select from control.collector_stream s where s.collector_id = c.id and s.stream = stream.stream)
  on conflict do nothing`;

const epochMs = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

/** Longer than any lease that can be configured, and than any wait for a provider. */
const longestLease = '20 minutes';
const longestWait = '2 hours';

const claim = `
  with due as (
    select s.collector_id, s.stream
      from control.collector_stream s join control.collector c on c.id = s.collector_id
     where c.provider = any($1::text[]) and (s.failure_count = 0 or not $4) and (select control.has_open_epoch())
       and coalesce(s.leased_until not between clock_timestamp() and clock_timestamp() + interval '${longestLease}', true)
       and (c.state = 'active' and s.due_at not between clock_timestamp() and clock_timestamp() + greatest(c.interval_seconds * interval '1 s', interval '${longestWait}')
            or c.state <> 'active' and s.reported_state is distinct from c.state)
     order by c.tenant_id = any($5::uuid[]), s.due_at
     limit 1
       for update of s skip locked
  )
  update control.collector_stream s
     set lease_id = gen_random_uuid(), leased_until = clock_timestamp() + $2 * interval '1 ms', leased_by = $3
    from due, control.collector c
   where s.collector_id = due.collector_id and s.stream = due.stream and c.id = s.collector_id
  returning s.lease_id as "leaseId", c.id as "collectorId", c.tenant_id as "tenantId",
            c.provider, s.stream, c.url, c.settings, c.secret_file as "secretFile",
            c.interval_seconds * 1000 as "intervalMs", ${epochMs('c.start_at')} as "startAtMs", ${epochMs('c.created_at')} as "createdAtMs", c.state,
            s.position, s.gaps, ${epochMs('s.completed_at')} as "completedAtMs", s.failure_count as "failureCount",
            case when s.failure is not null then jsonb_build_object('kind', s.failure_kind, 'message', s.failure) end as failure,
            s.reported, ${epochMs('s.reported_at')} as "reportedAtMs", s.reported_state as "reportedState"`;
