import type { Ledger } from './lane.ts';

export const letterActs = ['dryRun', 'replay', 'discard'] as const;
export type LetterAct = (typeof letterActs)[number];

/** How often an original is published again on request; who sits at the host may go on with the command line. */
export const mostReplays = 3;

/** So many are published a second at most: a thousand letters must not stand in the way of what comes by itself. */
export const replaysASecond = 50;

/** What became of one letter. */
export interface LetterResult {
  readonly letterId: string;
  readonly result: LetterOutcome;
  /** Of a refusal: why, as dead letters say it. */
  readonly reason: string | null;
  readonly detail: string | null;
}

export const letterOutcomes = [
  /** Today's readers make a record of it. */
  'passes',
  /** They, or the database, still refuse it. */
  'refused',
  /** It was published again and is a record now. */
  'projected',
  /** It was published again; what becomes of it shows later. */
  'sent',
  /** It became a record earlier: nothing was done. */
  'settled',
  'discarded',
  /** It was published as often as it may be. */
  'exhausted',
  'missing',
] as const;
export type LetterOutcome = (typeof letterOutcomes)[number];

/** Something an administrator wants done with dead letters, as a process of ingestion holds it. */
export interface LetterRequest {
  readonly id: string;
  readonly organizationId: string;
  readonly act: LetterAct;
  readonly letterIds: readonly string[];
  readonly results: readonly LetterResult[];
}

/** A process that was silent for so long has gone; another goes on where it stood. */
const silentSeconds = 30;

/** Takes the oldest request that nobody works on, those that had to wait last; null when there is none. Any number of processes may ask at once. */
export async function takeLetterRequest(control: Ledger, holder: string): Promise<LetterRequest | null> {
  const { rows } = await control.pool.query<LetterRequest>(
    `update control.letter_request r set taken_by = $1, taken_at = clock_timestamp()
      where r.id = (
        select w.id from control.letter_request w
         where w.done_at is null and (w.taken_at is null or w.taken_at < clock_timestamp() - make_interval(secs => $2))
         order by w.trouble is not null, w.requested_at limit 1 for update skip locked)
     returning r.id, r.organization_id as "organizationId", r.act, r.letter_ids as "letterIds", r.results`,
    [holder, silentSeconds],
  );
  return rows[0] ?? null;
}

/** Puts down what became of letters so far. False when another process has taken over. */
export async function noteLetterResults(
  control: Ledger,
  holder: string,
  id: string,
  results: readonly LetterResult[],
  isDone: boolean,
): Promise<boolean> {
  const { rowCount } = await control.pool.query(
    `update control.letter_request
        set results = $3, taken_at = clock_timestamp(), trouble = null, done_at = case when $4 then clock_timestamp() end
      where id = $2 and taken_by = $1 and done_at is null`,
    [holder, id, JSON.stringify(results), isDone],
  );
  return rowCount === 1;
}

/** Gives a request back: it is tried again soon, and whoever waits reads why. */
export async function giveLetterRequestBack(
  control: Ledger,
  holder: string,
  id: string,
  trouble: string,
): Promise<void> {
  await control.pool.query(
    `update control.letter_request set taken_at = null, taken_by = null, trouble = $3 where id = $2 and taken_by = $1 and done_at is null`,
    [holder, id, trouble],
  );
}

/** A letter with its message as it arrived. */
export interface LetterToHandle {
  readonly id: string;
  readonly topic: string;
  readonly element: number;
  readonly tenantId: string | null;
  readonly stage: string;
  readonly reason: string;
  readonly detail: string;
  readonly state: 'parked' | 'replayed' | 'settled' | 'discarded';
  readonly replays: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** In their order; a name may repeat. */
  readonly headers: readonly (readonly [name: string, value: Buffer])[];
}

type LetterRow = Omit<LetterToHandle, 'headers'> & { readonly headers: readonly (readonly [string, string])[] };

export async function readLetter({ pool, schema }: Ledger, id: string): Promise<LetterToHandle | null> {
  const { rows } = await pool.query<LetterRow>(
    `select l.id, m.topic, l.element, l.tenant_id as "tenantId", l.stage, l.reason, l.detail, l.state, l.replays,
            m.key, m.value, m.headers
       from ${schema}.dead_letter l join ${schema}.dead_letter_message m on m.id = l.message_id where l.id = $1`,
    [id],
  );
  const [row] = rows;
  return row === undefined
    ? null
    : { ...row, headers: row.headers.map(([name, value]) => [name, Buffer.from(value, 'base64')]) };
}

/** Whether an organization may have something done with letters of a tenant. Those of no known tenant are of the only organization, else of the operator. */
export async function mayHandleLetters(
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

/** Counts a replay before it is published. False when the letter may not be published again. */
export async function beginLetterReplay({ pool, schema }: Ledger, id: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update ${schema}.dead_letter set state = 'replayed', replays = replays + 1, changed_at = clock_timestamp()
      where id = $1 and state in ('parked', 'replayed') and replays < $2`,
    [id, mostReplays],
  );
  return rowCount === 1;
}

/** What was not published does not count. */
export async function undoLetterReplay({ pool, schema }: Ledger, id: string): Promise<void> {
  await pool.query(
    `update ${schema}.dead_letter set state = 'parked', replays = greatest(0, replays - 1), changed_at = clock_timestamp()
      where id = $1 and state = 'replayed'`,
    [id],
  );
}

/** Ends a letter for good; nothing is deleted. False when it has become a record. */
export async function discardLetter({ pool, schema }: Ledger, id: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update ${schema}.dead_letter set state = 'discarded', changed_at = clock_timestamp() where id = $1 and state <> 'settled'`,
    [id],
  );
  return rowCount === 1;
}

export interface LetterStanding {
  readonly id: string;
  readonly state: LetterToHandle['state'];
  readonly reason: string;
  readonly detail: string;
}

/** How letters stand now, of those there are. */
export async function readLetterStandings(
  { pool, schema }: Ledger,
  ids: readonly string[],
): Promise<readonly LetterStanding[]> {
  const { rows } = await pool.query<LetterStanding>(
    `select id, state, reason, detail from ${schema}.dead_letter where id = any($1)`,
    [ids],
  );
  return rows;
}
