import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { DirectoryError } from './directory.ts';

export type LedgerSchema = 'models' | 'control';

const letter = z.object({
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
  state: z.enum(['parked', 'replayed', 'settled', 'discarded']),
  replays: z.number(),
  workerVersion: z.string(),
  setAsideAt: z.string(),
  changedAt: z.string(),
});

const original = letter.extend({
  producedAt: z.string().nullable(),
  key: z.instanceof(Buffer).nullable(),
  value: z.instanceof(Buffer).nullable(),
  headers: z
    .array(z.tuple([z.string(), z.string()]))
    .transform((pairs) => pairs.map(([name, value]): [string, Buffer] => [name, Buffer.from(value, 'base64')])),
});

export type ListedDeadLetter = z.infer<typeof letter>;
/** A dead letter with its message as it arrived, byte for byte. */
export type OriginalDeadLetter = z.infer<typeof original>;

const columns = sql.fragment`l.id, m.topic, m.partition, m."offset", l.element, l.tenant_id as "tenantId", l.reason, l.stage, l.detail, l.format,
  l.state, l.replays, l.worker_version as "workerVersion", l.set_aside_at as "setAsideAt", l.changed_at as "changedAt"`;

const tables = (schema: LedgerSchema) => ({
  letters: sql.identifier([schema, 'dead_letter']),
  messages: sql.identifier([schema, 'dead_letter_message']),
});

export async function listDeadLetters(
  pool: DatabasePool,
  schema: LedgerSchema,
  wanted: { limit: number; tenantId?: string; reason?: string; state?: string },
): Promise<readonly ListedDeadLetter[]> {
  const { letters, messages } = tables(schema);
  const conditions = [
    wanted.tenantId ? sql.fragment`l.tenant_id = ${wanted.tenantId}` : null,
    wanted.reason ? sql.fragment`l.reason = ${wanted.reason}` : null,
    wanted.state ? sql.fragment`l.state = ${wanted.state}` : null,
  ].filter((condition) => condition !== null);
  return pool.any(sql.type(letter)`
    select ${columns} from ${letters} l join ${messages} m on m.id = l.message_id
     where ${sql.join([sql.fragment`true`, ...conditions], sql.fragment` and `)}
     order by l.set_aside_at desc, l.id limit ${wanted.limit}`);
}

export async function showDeadLetter(
  pool: DatabasePool,
  schema: LedgerSchema,
  id: string,
): Promise<OriginalDeadLetter | null> {
  const { letters, messages } = tables(schema);
  return pool.maybeOne(sql.type(original)`
    select ${columns}, m.produced_at as "producedAt", m.key, m.value, m.headers
      from ${letters} l join ${messages} m on m.id = l.message_id where l.id = ${id}`);
}

/** Ends a letter for good; nothing is deleted. */
export async function discardDeadLetter(pool: DatabasePool, schema: LedgerSchema, id: string): Promise<boolean> {
  const { letters } = tables(schema);
  const { rowCount } = await pool.query(sql.unsafe`
    update ${letters} set state = 'discarded', changed_at = clock_timestamp() where id = ${id} and state <> 'settled'`);
  return rowCount === 1;
}

/** Counts a replay before it is published: should publishing fail, the letter shows that one was begun and can be replayed again. */
export async function beginReplay(
  pool: DatabasePool,
  schema: LedgerSchema,
  id: string,
): Promise<OriginalDeadLetter | null> {
  const { letters } = tables(schema);
  const { rowCount } = await pool.query(sql.unsafe`
    update ${letters} set state = 'replayed', replays = replays + 1, changed_at = clock_timestamp()
     where id = ${id} and state in ('parked', 'replayed')`);
  if (rowCount === 0) {
    const letter = await showDeadLetter(pool, schema, id);
    if (letter) throw new DirectoryError(`The dead letter ${id} is ${letter.state} and is not replayed again.`);
    return null;
  }
  return showDeadLetter(pool, schema, id);
}

const parked = z.object({ tenantId: z.string().nullable(), reason: z.string(), count: z.number() });
export type ParkedCount = z.infer<typeof parked>;

export async function countParked(pool: DatabasePool, schema: LedgerSchema): Promise<readonly ParkedCount[]> {
  const { letters } = tables(schema);
  return pool.any(sql.type(parked)`
    select tenant_id as "tenantId", reason, count(*) as count from ${letters} where state = 'parked' group by 1, 2 order by 3 desc, 1, 2`);
}
