import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Ledger } from './lane.ts';

/** A Kafka message as it arrived, byte for byte. */
export interface ArrivedMessage {
  /** `deadLetterMessageId` of its position. */
  id: string;
  topic: string;
  partition: number;
  offset: bigint;
  producedAtMs: number | null;
  key: Buffer | null;
  value: Buffer | null;
  /** In their order; a name may repeat. */
  headers: readonly (readonly [name: string, value: Buffer])[];
  /** The import that published it, null for all others. */
  importId: string | null;
  /** The source binding that it was read with; null where key and headers are its envelope. */
  bindingId: string | null;
}

export interface DeadLetter {
  /** `deadLetterId` of the message and the element. */
  id: string;
  message: ArrivedMessage;
  /** Index in an exploded array; 0 for a single record, -1 for a message that was rejected as a whole. */
  element: number;
  tenantId: string | null;
  reason: string;
  stage: string;
  detail: string;
  format: string | null;
  workerVersion: string;
  /** The dead letter that this message claims to replay: that one is updated instead of creating another. */
  replayOf: string | null;
}

const digestUuid = (...parts: readonly (string | number | bigint)[]): string => {
  const hex = createHash('sha256').update(parts.join('\u001f')).digest('hex');
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** The same position gives the same id, so that a retried batch creates no dead letter twice. */
export const deadLetterMessageId = (clusterId: string, topicId: string, partition: number, offset: bigint): string =>
  digestUuid('message', clusterId, topicId, partition, offset);

export const deadLetterId = (messageId: string, element: number): string =>
  digestUuid('dead-letter', messageId, element);

/** A message with a larger value, unless the ledger says otherwise, or with a larger key and headers is stored truncated. */
export const deadLetterMaxBytes = 1_048_576;
const truncatedBytes = 65_536;
/** What a header takes beyond its name and value, so that a message with more than 32,768 headers is stored truncated. */
const headerBytes = 32;

type StoredMessage = ArrivedMessage & { readonly valueBytes: number | null; readonly valueSha256: Buffer | null };

/** A message as it is stored: whole, or the beginnings of its key, value and headers with the digest of the value. */
function limitMessage(message: ArrivedMessage, maxBytes: number): StoredMessage {
  const { key, value, headers } = message;
  const sizeOf = ([name, bytes]: (typeof headers)[number]) => Buffer.byteLength(name) + bytes.length + headerBytes;
  const otherBytes = headers.reduce((sum, header) => sum + sizeOf(header), key?.length ?? 0);
  if ((value?.length ?? 0) <= maxBytes && otherBytes <= deadLetterMaxBytes)
    return { ...message, valueBytes: null, valueSha256: null };
  let left = truncatedBytes;
  return {
    ...message,
    key: key?.subarray(0, truncatedBytes) ?? null,
    value: value?.subarray(0, truncatedBytes) ?? null,
    headers: headers.filter((header) => {
      left -= sizeOf(header);
      return left >= 0;
    }),
    valueBytes: value?.length ?? 0,
    valueSha256: createHash('sha256')
      .update(value ?? '')
      .digest(),
  };
}

/** Stores records that could not become rows, in the batch's transaction: nothing is lost, and no record waits behind them. */
export async function writeDeadLetters(
  client: pg.PoolClient,
  ledger: Ledger,
  deadLetters: readonly DeadLetter[],
): Promise<void> {
  const fresh: DeadLetter[] = [];
  for (const deadLetter of deadLetters) {
    // A header that names no dead letter of this message must not hide a failure.
    if (
      deadLetter.replayOf === null ||
      !(await updateReplayedDeadLetter(client, ledger, deadLetter.replayOf, deadLetter))
    )
      fresh.push(deadLetter);
  }
  if (fresh.length === 0) return;
  const { schema } = ledger;
  const messages = [...new Map(fresh.map((deadLetter) => [deadLetter.message.id, deadLetter.message])).values()].map(
    (message) => limitMessage(message, ledger.deadLetterMaxBytes ?? deadLetterMaxBytes),
  );
  await client.query(
    `insert into ${schema}.dead_letter_message (id, topic, partition, "offset", produced_at, key, value, headers, value_bytes, value_sha256, import_id, binding_id)
     select id, topic, partition, "offset", to_timestamp(produced_ms / 1000), key, value, headers, value_bytes, value_sha256, import_id, binding_id
       from unnest($1::uuid[], $2::text[], $3::integer[], $4::bigint[], $5::float8[], $6::bytea[], $7::bytea[], $8::json[], $9::bigint[], $10::bytea[], $11::uuid[], $12::uuid[])
            as m (id, topic, partition, "offset", produced_ms, key, value, headers, value_bytes, value_sha256, import_id, binding_id)
     on conflict (id) do nothing`,
    [
      messages.map((message) => message.id),
      messages.map((message) => message.topic),
      messages.map((message) => message.partition),
      messages.map((message) => String(message.offset)),
      messages.map((message) => message.producedAtMs),
      messages.map((message) => message.key),
      messages.map((message) => message.value),
      messages.map((message) =>
        JSON.stringify(message.headers.map(([name, value]) => [name, value.toString('base64')])),
      ),
      messages.map((message) => message.valueBytes),
      messages.map((message) => message.valueSha256),
      messages.map((message) => message.importId),
      messages.map((message) => message.bindingId),
    ],
  );
  await client.query(
    `insert into ${schema}.dead_letter (id, message_id, element, topic, tenant_id, reason, stage, detail, format, worker_version)
     select * from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])
     on conflict (id) do nothing`,
    [
      fresh.map((deadLetter) => deadLetter.id),
      fresh.map((deadLetter) => deadLetter.message.id),
      fresh.map((deadLetter) => deadLetter.element),
      fresh.map((deadLetter) => deadLetter.message.topic),
      fresh.map((deadLetter) => deadLetter.tenantId),
      fresh.map((deadLetter) => deadLetter.reason),
      fresh.map((deadLetter) => deadLetter.stage),
      fresh.map((deadLetter) => deadLetter.detail.slice(0, 512)),
      fresh.map((deadLetter) => deadLetter.format),
      fresh.map((deadLetter) => deadLetter.workerVersion),
    ],
  );
}

async function updateReplayedDeadLetter(
  client: pg.PoolClient,
  ledger: Ledger,
  id: string,
  failure: DeadLetter,
): Promise<boolean> {
  const { schema } = ledger;
  const { rowCount } = await client.query(
    `update ${schema}.dead_letter d
        set state = case state when 'discarded' then state else 'pending' end,
            reason = $2, stage = $3, detail = $4, tenant_id = $5, worker_version = $6, changed_at = clock_timestamp()
       from ${schema}.dead_letter_message message
      where d.id = $1 and message.id = d.message_id and message.value is not distinct from $7::bytea and message.value_sha256 is null`,
    [
      id,
      failure.reason,
      failure.stage,
      failure.detail.slice(0, 512),
      failure.tenantId,
      failure.workerVersion,
      failure.message.value,
    ],
  );
  return rowCount === 1;
}

/** A message that claims to replay a dead letter. It does if the values are equal: a header may have been copied to another message. */
export interface Replay {
  deadLetterId: string;
  value: Buffer | null;
}

/** Settles the dead letters whose replays became rows. */
export async function settleReplays(client: pg.PoolClient, ledger: Ledger, replays: readonly Replay[]): Promise<void> {
  const { schema } = ledger;
  await client.query(
    `update ${schema}.dead_letter d set state = 'settled', changed_at = clock_timestamp()
       from unnest($1::uuid[], $2::bytea[]) as replay (dead_letter_id, value), ${schema}.dead_letter_message message
      where d.id = replay.dead_letter_id and message.id = d.message_id and message.value is not distinct from replay.value
        and message.value_sha256 is null`,
    [replays.map(({ deadLetterId: id }) => id), replays.map(({ value }) => value)],
  );
}

/** Deletes decided dead letters past their retention; returns how many messages. Pending and replayed ones stay. */
export async function deleteExpiredDeadLetters({ pool, schema }: Ledger, retentionDays: number): Promise<number> {
  const { rows } = await pool.query<{ deleted: number }>(
    `select ${schema}.delete_expired_dead_letters($1) as deleted`,
    [retentionDays],
  );
  return rows[0]?.deleted ?? 0;
}
