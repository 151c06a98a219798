import { type DatabasePool, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { DirectoryError } from './directory.ts';

export type LedgerSchema = 'models' | 'control';

const deadLetter = z.object({
  id: z.string(),
  topic: z.string(),
  partition: z.number(),
  offset: z.number(),
  element: z.number(),
  tenantId: z.string().nullable(),
  reason: z.string(),
  stage: z.string(),
  detail: z.string(),
  format: z.string().nullable(),
  state: z.enum(['pending', 'replayed', 'settled', 'discarded']),
  replays: z.number(),
  workerVersion: z.string(),
  /** The message was too large to be stored whole; it cannot be replayed. */
  truncated: z.boolean(),
  deadLetteredAt: z.string(),
  changedAt: z.string(),
});

export const original = deadLetter.extend({
  /** The source binding that it was read with; null where key and headers are its envelope. */
  bindingId: z.string().nullable(),
  producedAt: z.string().nullable(),
  key: z.instanceof(Buffer).nullable(),
  value: z.instanceof(Buffer).nullable(),
  /** Length and digest of the whole value of a truncated message. */
  valueBytes: z.number().nullable(),
  valueSha256: z.string().nullable(),
  headers: z
    .array(z.tuple([z.string(), z.string()]))
    .transform((pairs) => pairs.map(([name, value]): [string, Buffer] => [name, Buffer.from(value, 'base64')])),
});

export type ListedDeadLetter = z.infer<typeof deadLetter>;
/** A dead letter with its message as it arrived, byte for byte unless it is truncated. */
export type OriginalDeadLetter = z.infer<typeof original>;

export const columns = sql.fragment`l.id, l.topic, m.partition, m."offset", l.element, l.tenant_id as "tenantId", l.reason, l.stage, l.detail, l.format,
  l.state, l.replays, l.worker_version as "workerVersion", m.value_sha256 is not null as truncated, l.dead_lettered_at as "deadLetteredAt", l.changed_at as "changedAt"`;

export const tables = (schema: LedgerSchema) => ({
  deadLetters: sql.identifier([schema, 'dead_letter']),
  messages: sql.identifier([schema, 'dead_letter_message']),
  /** Differences: the number of a group is the sum of `amount`. */
  counts: sql.identifier([schema, 'dead_letter_count']),
});

/** Which dead letters a command is about; all where nothing is given. */
export interface DeadLetterFilter {
  readonly tenantId?: string | undefined;
  readonly reason?: string | undefined;
  readonly state?: string | undefined;
  /** A topic with or without its prefix, or a format. */
  readonly source?: string | undefined;
  readonly importId?: string | undefined;
  /** Of the time of dead-lettering, both inclusive. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** A condition over `l`, the dead letter. */
export function filterCondition(schema: LedgerSchema, filter: DeadLetterFilter): FragmentSqlToken {
  const { tenantId, reason, state, source, importId, from, to } = filter;
  const conditions = [
    tenantId ? sql.fragment`l.tenant_id = ${tenantId}` : null,
    reason ? sql.fragment`l.reason = ${reason}` : null,
    state ? sql.fragment`l.state = ${state}` : null,
    source
      ? sql.fragment`(l.format = ${source} or l.topic = ${source} or starts_with(reverse(l.topic), reverse(${`.${source}`})))`
      : null,
    importId
      ? sql.fragment`l.message_id in (select id from ${tables(schema).messages} where import_id = ${importId})`
      : null,
    from ? sql.fragment`l.dead_lettered_at >= ${sql.timestamp(from)}` : null,
    to ? sql.fragment`l.dead_lettered_at <= ${sql.timestamp(to)}` : null,
  ].filter((condition) => condition !== null);
  return sql.fragment`${sql.join([sql.fragment`true`, ...conditions], sql.fragment` and `)}`;
}

export async function listDeadLetters(
  pool: DatabasePool,
  schema: LedgerSchema,
  input: DeadLetterFilter & { readonly limit: number },
): Promise<readonly ListedDeadLetter[]> {
  const { deadLetters, messages } = tables(schema);
  return pool.any(sql.type(deadLetter)`
    select ${columns} from ${deadLetters} l join ${messages} m on m.id = l.message_id
     where ${filterCondition(schema, input)}
     order by l.dead_lettered_at desc, l.id limit ${input.limit}`);
}

export async function showDeadLetter(
  pool: DatabasePool,
  schema: LedgerSchema,
  id: string,
): Promise<OriginalDeadLetter | null> {
  const { deadLetters, messages } = tables(schema);
  return pool.maybeOne(sql.type(original)`
    select ${columns}, m.produced_at as "producedAt", m.binding_id as "bindingId", m.key, m.value, m.headers,
           m.value_bytes as "valueBytes", encode(m.value_sha256, 'hex') as "valueSha256"
      from ${deadLetters} l join ${messages} m on m.id = l.message_id where l.id = ${id}`);
}

/** Discards a dead letter permanently; it is deleted after its retention. */
export async function discardDeadLetter(pool: DatabasePool, schema: LedgerSchema, id: string): Promise<boolean> {
  const { deadLetters } = tables(schema);
  const { rowCount } = await pool.query(sql.unsafe`
    update ${deadLetters} set state = 'discarded', changed_at = clock_timestamp() where id = ${id} and state <> 'settled'`);
  return rowCount === 1;
}

/** Counts a replay before it is published: if publishing fails, the dead letter shows an attempt and can be replayed again. */
export async function beginReplay(
  pool: DatabasePool,
  schema: LedgerSchema,
  id: string,
): Promise<OriginalDeadLetter | null> {
  const { deadLetters, messages } = tables(schema);
  const { rowCount } = await pool.query(sql.unsafe`
    update ${deadLetters} d set state = 'replayed', replays = replays + 1, changed_at = clock_timestamp()
      from ${messages} m
     where d.id = ${id} and d.state in ('pending', 'replayed') and m.id = d.message_id and m.value_sha256 is null`);
  if (rowCount === 0) {
    const deadLetter = await showDeadLetter(pool, schema, id);
    if (deadLetter?.truncated)
      throw new DirectoryError(
        `Dead letter ${id} is not replayed: only the beginning of its ${deadLetter.valueBytes} bytes is stored. Send the record again from its source.`,
      );
    if (deadLetter) throw new DirectoryError(`Dead letter ${id} is ${deadLetter.state} and is not replayed again.`);
    return null;
  }
  return showDeadLetter(pool, schema, id);
}

const pending = z.object({ tenantId: z.string().nullable(), reason: z.string(), count: z.number() });
export type PendingCount = z.infer<typeof pending>;

export async function countPending(pool: DatabasePool, schema: LedgerSchema): Promise<readonly PendingCount[]> {
  return pool.any(sql.type(pending)`
    select tenant_id as "tenantId", reason, sum(amount)::bigint as count from ${tables(schema).counts}
     where state = 'pending' group by 1, 2 having sum(amount) > 0 order by 3 desc, 1, 2`);
}

export async function settleForwarded(pool: DatabasePool, schema: LedgerSchema, id: string): Promise<void> {
  await pool.query(sql.unsafe`
    update ${tables(schema).deadLetters} set state = 'settled', changed_at = clock_timestamp() where id = ${id} and state = 'replayed'`);
}
