import type { LaneIdentity, Ledger } from '../ingest/lane/lane.ts';

/** `unbound`: the source binding of its topic was removed, so that it is not read. `stopped` and `tripped`: ingestion paused the lane. `stalled`: it should move and does not. `late`: it moves, 10 s behind or more. */
export const laneStates = ['running', 'late', 'stalled', 'stopped', 'tripped', 'unbound'] as const;
export type LaneState = (typeof laneStates)[number];

/** The states in which a lane does not move. */
export const isLaneHalted = (state: LaneState): boolean =>
  state !== 'running' && state !== 'late' && state !== 'unbound';

/** Why a lane is stalled: records are unread and its consumer does not move, or no consumer reports it; its log was not measured; its watermark stands. */
export const stallCauses = ['no progress', 'no consumer', 'not measured', 'watermark'] as const;
export type StallCause = (typeof stallCauses)[number];

/** A stall as the database found it. */
export interface Stall {
  readonly state: LaneState;
  readonly stall: StallCause | null;
  readonly stalledSince: string | null;
  readonly unread: number | null;
  readonly worker: string | null;
  /** The reason that ingestion stored with a paused lane. */
  readonly reason: string | null;
}

/** Why a lane does not move; null while it does. */
export function describeHalt({ state, stall, stalledSince, unread, worker, reason }: Stall): string | null {
  if (!isLaneHalted(state)) return null;
  if (stall === null) return reason ?? state;
  const since = `since ${stalledSince}`;
  const records = `${unread ?? 'some'} ${unread === 1 ? 'record' : 'records'} unread`;
  if (stall === 'no progress') return `no progress ${since}: ${records}, consumer ${worker}`;
  if (stall === 'no consumer') return `no consumer ${since}: ${records}`;
  if (stall === 'not measured')
    return `end of the log unknown ${since}: no ingest or jobs process can read it from Kafka`;
  return `watermark not moved ${since}: no ingest process runs, or its lane is locked`;
}

/** A lane with its state, for readiness and metrics. */
export interface LaneStatus extends LaneIdentity, Stall {
  /** The configured name of its Kafka cluster. */
  readonly cluster: string;
  readonly topic: string;
  /** Age of the oldest record known to be unread. */
  readonly unreadMs: number | null;
  /** Whether some process measured the log within the last 20 s. */
  readonly isMeasured: boolean;
}

export async function readLaneStatuses({ pool, schema }: Ledger): Promise<LaneStatus[]> {
  const { rows } = await pool.query<Omit<LaneStatus, 'unread'> & { unread: string | null }>({
    name: `lane statuses ${schema}`,
    text: `select cluster_id as "clusterId", topic_id as "topicId", partition, cluster, topic, state, stall, reason, worker, unread_count as unread,
                  to_char(stalled_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "stalledSince",
                  (extract(epoch from clock_timestamp() - unread_since) * 1000)::float8 as "unreadMs",
                  coalesce(measured_at > clock_timestamp() - interval '20 s', false) as "isMeasured"
             from ${schema}.lane_status`,
  });
  return rows.map((row) => ({ ...row, unread: row.unread === null ? null : Number(row.unread) }));
}
