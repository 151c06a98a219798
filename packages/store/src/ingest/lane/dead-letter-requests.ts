import type { Ledger } from './lane.ts';

export const deadLetterActions = ['dryRun', 'replay', 'discard'] as const;
export type DeadLetterAction = (typeof deadLetterActions)[number];

/** How often an original is republished on request; the command line on the host has no limit. */
export const maxReplays = 3;

/** Limits replays so that a thousand dead letters do not delay new records. */
export const maxReplaysPerSecond = 50;

/** The result for one dead letter. */
export interface DeadLetterResult {
  readonly deadLetterId: string;
  readonly result: DeadLetterOutcome;
  /** Of a refusal: the reason, as in dead letters. */
  readonly reason: string | null;
  readonly detail: string | null;
}

export const deadLetterOutcomes = [
  /** The current readers accept it. */
  'passes',
  /** They, or the database, still reject it. */
  'refused',
  /** It was republished and is a record now. */
  'projected',
  /** It was republished; its result is not known yet. */
  'sent',
  /** It became a record earlier: nothing was done. */
  'settled',
  'discarded',
  /** It reached the maximum number of replays. */
  'exhausted',
  'missing',
] as const;
export type DeadLetterOutcome = (typeof deadLetterOutcomes)[number];

/** An administrator's request, claimed by a process of ingestion. */
export interface DeadLetterRequest {
  readonly id: string;
  readonly organizationId: string;
  readonly action: DeadLetterAction;
  readonly deadLetterIds: readonly string[];
  readonly results: readonly DeadLetterResult[];
  /** Of a retry: when it was requested. A replay that was begun since and has no result is its own. Null at the first attempt. */
  readonly retriedFrom: string | null;
  /** Whether no other cell has dead letters of it that are not executed. */
  readonly isLast: boolean;
}

/** After this time without a report a process is considered gone; another one continues its request. */
const staleAfterSeconds = 30;

/**
 * Claims the oldest unclaimed request that has the cell next, requests with an error last; null without one. Safe for any number of concurrent
 * processes.
 */
export async function claimDeadLetterRequest(
  control: Ledger,
  cell: string,
  holder: string,
): Promise<DeadLetterRequest | null> {
  const { rows } = await control.pool.query<DeadLetterRequest>(
    `with waiting as materialized (
       select w.id, w.claimed_at is not null or w.last_error is not null as is_retry from control.dead_letter_request w
        where w.completed_at is null and w.cells[1] = $3 and coalesce(w.claimed_at not between clock_timestamp() - make_interval(secs => $2) and clock_timestamp(), true)
        order by w.last_error is not null, w.requested_at limit 1 for update skip locked)
     update control.dead_letter_request r set claimed_by = $1, claimed_at = clock_timestamp() from waiting w where r.id = w.id
     returning r.id, r.organization_id as "organizationId", r.action, r.dead_letter_ids as "deadLetterIds", r.results,
               case when w.is_retry then r.requested_at::text end as "retriedFrom", cardinality(r.cells) = 1 as "isLast"`,
    [holder, staleAfterSeconds, cell],
  );
  return rows[0] ?? null;
}

/** Records the results so far; after the last one of the cell the request is that of the next cell. False when another process has claimed it. */
export async function recordDeadLetterResults(
  control: Ledger,
  holder: string,
  id: string,
  results: readonly DeadLetterResult[],
  isDone: boolean,
): Promise<boolean> {
  const { rowCount } = await control.pool.query(
    `update control.dead_letter_request
        set results = $3, claimed_at = case when $4 and cardinality(cells) > 1 then null else clock_timestamp() end, last_error = null,
            claimed_by = case when $4 and cardinality(cells) > 1 then null else claimed_by end,
            cells = case when $4 and cardinality(cells) > 1 then cells[2:] else cells end,
            completed_at = case when $4 and cardinality(cells) = 1 then clock_timestamp() end
      where id = $2 and claimed_by = $1 and completed_at is null`,
    [holder, id, JSON.stringify(results), isDone],
  );
  return rowCount === 1;
}

/** Releases a request with an error: it is retried soon, and the console shows the error. */
export async function releaseDeadLetterRequest(
  control: Ledger,
  holder: string,
  id: string,
  error: string,
): Promise<void> {
  await control.pool.query(
    `update control.dead_letter_request set claimed_at = null, claimed_by = null, last_error = $3 where id = $2 and claimed_by = $1 and completed_at is null`,
    [holder, id, error],
  );
}

/** A dead letter with its original message. */
export interface DeadLetterWithMessage {
  readonly id: string;
  readonly topic: string;
  readonly element: number;
  readonly tenantId: string | null;
  readonly stage: string;
  readonly reason: string;
  readonly detail: string;
  readonly state: 'pending' | 'replayed' | 'settled' | 'discarded';
  readonly replays: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** The length of the whole value where the message was too large to be stored, else null: only a whole message is replayed. */
  readonly truncatedFromBytes: number | null;
  /** In their order; a name may repeat. */
  readonly headers: readonly (readonly [name: string, value: Buffer])[];
  readonly producedAtMs: number | null;
  /** The source binding that it was read with; null where key and headers are its envelope. */
  readonly bindingId: string | null;
}

type DeadLetterRow = Omit<DeadLetterWithMessage, 'headers'> & {
  readonly headers: readonly (readonly [string, string])[];
};

export async function readDeadLetter({ pool, schema }: Ledger, id: string): Promise<DeadLetterWithMessage | null> {
  const { rows } = await pool.query<DeadLetterRow>(
    `select l.id, m.topic, l.element, l.tenant_id as "tenantId", l.stage, l.reason, l.detail, l.state, l.replays,
            m.key, m.value, m.value_bytes::float8 as "truncatedFromBytes", m.headers, m.binding_id as "bindingId",
            (extract(epoch from m.produced_at) * 1000)::float8 as "producedAtMs"
       from ${schema}.dead_letter l join ${schema}.dead_letter_message m on m.id = l.message_id where l.id = $1`,
    [id],
  );
  const [row] = rows;
  return row === undefined
    ? null
    : { ...row, headers: row.headers.map(([name, value]) => [name, Buffer.from(value, 'base64')]) };
}

/** Whether an organization may manage a tenant's dead letters. Those without a known tenant belong to the only organization, otherwise to the operator. */
export async function canManageDeadLetters(
  control: Ledger,
  organizationId: string,
  tenantId: string | null,
): Promise<boolean> {
  const { rows } = await control.pool.query<{ may: boolean }>(
    `select coalesce((select coalesce(t.organization_id = $1, false) from control.tenant t where t.id = $2),
                     (select count(*) = 1 from control.organization)) as may`,
    [organizationId, tenantId],
  );
  return rows[0]?.may ?? false;
}

/**
 * Counts a replay before it is published. False when the dead letter may not be replayed again. A replay that was begun since `retriedFrom` may not have
 * been published: it is repeated and not counted again.
 */
export async function beginDeadLetterReplay(
  { pool, schema }: Ledger,
  id: string,
  retriedFrom: string | null,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `with found as materialized (
       select id, coalesce(state = 'replayed' and changed_at >= $3::timestamptz, false) as is_begun
         from ${schema}.dead_letter where id = $1 for update)
     update ${schema}.dead_letter l
        set state = 'replayed', replays = l.replays + case when f.is_begun then 0 else 1 end, changed_at = clock_timestamp()
       from found f where l.id = f.id and l.state in ('pending', 'replayed') and (f.is_begun or l.replays < $2)`,
    [id, maxReplays, retriedFrom],
  );
  return rowCount === 1;
}

/** Reverts the count of a replay that was not published. */
export async function undoDeadLetterReplay({ pool, schema }: Ledger, id: string): Promise<void> {
  await pool.query(
    `update ${schema}.dead_letter set state = 'pending', replays = greatest(0, replays - 1), changed_at = clock_timestamp()
      where id = $1 and state = 'replayed'`,
    [id],
  );
}

/** Discards a dead letter permanently; it is deleted after its retention. False when it has become a record. */
export async function discardDeadLetter({ pool, schema }: Ledger, id: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update ${schema}.dead_letter set state = 'discarded', changed_at = clock_timestamp() where id = $1 and state <> 'settled'`,
    [id],
  );
  return rowCount === 1;
}

/** Settles a dead letter whose message was sent to the topics of another cell: there it becomes a record, or another dead letter. */
export async function settleForwardedDeadLetter({ pool, schema }: Ledger, id: string): Promise<void> {
  await pool.query(
    `update ${schema}.dead_letter set state = 'settled', changed_at = clock_timestamp() where id = $1 and state = 'replayed'`,
    [id],
  );
}

export interface DeadLetterStatus {
  readonly id: string;
  readonly state: DeadLetterWithMessage['state'];
  readonly reason: string;
  readonly detail: string;
}

/** The current states of these dead letters, of those that exist. */
export async function readDeadLetterStatuses(
  { pool, schema }: Ledger,
  ids: readonly string[],
): Promise<readonly DeadLetterStatus[]> {
  const { rows } = await pool.query<DeadLetterStatus>(
    `select id, state, reason, detail from ${schema}.dead_letter where id = any($1)`,
    [ids],
  );
  return rows;
}
