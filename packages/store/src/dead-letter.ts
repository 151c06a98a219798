import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Ledger } from './lane.ts';

/** A Kafka message as it arrived, byte for byte. */
export interface ArrivedMessage {
  /** `deadLetterMessageId` of where it lies. */
  id: string;
  topic: string;
  partition: number;
  offset: bigint;
  producedAtMs: number | null;
  key: Buffer | null;
  value: Buffer | null;
  /** In their order; a name may repeat. */
  headers: readonly (readonly [name: string, value: Buffer])[];
}

export interface DeadLetter {
  /** `deadLetterId` of the message and the element. */
  id: string;
  message: ArrivedMessage;
  /** Index in an exploded array; 0 for a single record. */
  element: number;
  tenantId: string | null;
  reason: string;
  stage: string;
  detail: string;
  format: string | null;
  workerVersion: string;
  /** The letter that this message says it replays: that one is brought up to date instead of making another. */
  replayOf: string | null;
}

const uuidOf = (...parts: readonly (string | number | bigint)[]): string => {
  const hex = createHash('sha256').update(parts.join('\u001f')).digest('hex');
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** The same place gives the same id, so that a batch written again sets nothing aside twice. */
export const deadLetterMessageId = (clusterId: string, topicId: string, partition: number, offset: bigint): string =>
  uuidOf('message', clusterId, topicId, partition, offset);

export const deadLetterId = (messageId: string, element: number): string => uuidOf('letter', messageId, element);

/** Keeps what could not become a row, inside the batch's transaction: nothing is lost, and nothing waits behind it. */
export async function setAside(client: pg.PoolClient, ledger: Ledger, letters: readonly DeadLetter[]): Promise<void> {
  const fresh: DeadLetter[] = [];
  for (const letter of letters) {
    // A header that names no letter of this message must not make a failure vanish.
    if (letter.replayOf === null || !(await bringUpToDate(client, ledger, letter.replayOf, letter))) fresh.push(letter);
  }
  if (fresh.length === 0) return;
  const { schema } = ledger;
  const messages = [...new Map(fresh.map((letter) => [letter.message.id, letter.message])).values()];
  await client.query(
    `insert into ${schema}.dead_letter_message (id, topic, partition, "offset", produced_at, key, value, headers)
     select id, topic, partition, "offset", to_timestamp(produced_ms / 1000), key, value, headers
       from unnest($1::uuid[], $2::text[], $3::integer[], $4::bigint[], $5::float8[], $6::bytea[], $7::bytea[], $8::json[])
            as m (id, topic, partition, "offset", produced_ms, key, value, headers)
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
    ],
  );
  await client.query(
    `insert into ${schema}.dead_letter (id, message_id, element, tenant_id, reason, stage, detail, format, worker_version)
     select * from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
     on conflict (id) do nothing`,
    [
      fresh.map((letter) => letter.id),
      fresh.map((letter) => letter.message.id),
      fresh.map((letter) => letter.element),
      fresh.map((letter) => letter.tenantId),
      fresh.map((letter) => letter.reason),
      fresh.map((letter) => letter.stage),
      fresh.map((letter) => letter.detail.slice(0, 512)),
      fresh.map((letter) => letter.format),
      fresh.map((letter) => letter.workerVersion),
    ],
  );
}

async function bringUpToDate(client: pg.PoolClient, ledger: Ledger, id: string, failure: DeadLetter): Promise<boolean> {
  const { schema } = ledger;
  const { rowCount } = await client.query(
    `update ${schema}.dead_letter letter
        set state = case state when 'discarded' then state else 'parked' end,
            reason = $2, stage = $3, detail = $4, tenant_id = $5, worker_version = $6, changed_at = clock_timestamp()
       from ${schema}.dead_letter_message message
      where letter.id = $1 and message.id = letter.message_id and message.value is not distinct from $7::bytea`,
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

/** A message that says it replays a letter. It does if its value is the letter's: a header may have been copied to another message. */
export interface Replay {
  letterId: string;
  value: Buffer | null;
}

/** Ends the letters whose replays became rows. */
export async function settleReplays(client: pg.PoolClient, ledger: Ledger, replays: readonly Replay[]): Promise<void> {
  const { schema } = ledger;
  await client.query(
    `update ${schema}.dead_letter letter set state = 'settled', changed_at = clock_timestamp()
       from unnest($1::uuid[], $2::bytea[]) as replay (letter_id, value), ${schema}.dead_letter_message message
      where letter.id = replay.letter_id and message.id = letter.message_id and message.value is not distinct from replay.value`,
    [replays.map(({ letterId }) => letterId), replays.map(({ value }) => value)],
  );
}
