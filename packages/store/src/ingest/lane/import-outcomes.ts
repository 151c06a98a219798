import type pg from 'pg';
import type { LaneIdentity } from './lane.ts';

/** A message that an import published, and what became of its records: each is a row, a duplicate or a dead letter. */
export interface ImportedMessage {
  readonly importId: string;
  /** From 1, rising within a partition. */
  readonly sequence: number;
  rows: number;
  /** Records whose row or state existed already. */
  duplicates: number;
  /** The reasons of its dead letters. */
  readonly deadLetters: string[];
}

interface Counts {
  lastSequence: number;
  messages: number;
  records: number;
  rows: number;
  duplicates: number;
  deadLetters: Record<string, number>;
}

/**
 * Counts the messages of imports in the transaction that moves their lane: exactly once, however often a batch is repeated. A message whose number
 * the lane has counted was sent twice, by a producer that missed the acknowledgement or by a resumed import. Batches without imports cost nothing.
 * An id that is no import is not counted: it is a claim of the producer.
 */
export async function countImported(
  client: pg.PoolClient,
  lane: LaneIdentity,
  messages: readonly ImportedMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  const byImport = Map.groupBy(messages, ({ importId }) => importId);
  const counts = await readCounts(client, lane, [...byImport.keys()]);
  for (const [importId, own] of byImport) {
    const count = counts.get(importId);
    if (count === undefined) continue;
    for (const message of own) addMessage(count, message);
    await client.query(
      `insert into models.import_lane (import_id, cluster_id, topic_id, partition, last_sequence, messages, records, rows, duplicates, dead_letters)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       on conflict (import_id, cluster_id, topic_id, partition) do update
          set last_sequence = excluded.last_sequence, messages = excluded.messages, records = excluded.records, rows = excluded.rows,
              duplicates = excluded.duplicates, dead_letters = excluded.dead_letters`,
      [
        importId,
        lane.clusterId,
        lane.topicId,
        lane.partition,
        count.lastSequence,
        count.messages,
        count.records,
        count.rows,
        count.duplicates,
        JSON.stringify(count.deadLetters),
      ],
    );
  }
}

function addMessage(count: Counts, { sequence, rows, duplicates, deadLetters }: ImportedMessage): void {
  if (sequence <= count.lastSequence) return;
  count.lastSequence = sequence;
  count.messages += 1;
  count.records += rows + duplicates + deadLetters.length;
  count.rows += rows;
  count.duplicates += duplicates;
  for (const reason of deadLetters) count.deadLetters[reason] = (count.deadLetters[reason] ?? 0) + 1;
}

/** What the lane has counted of the imports that exist. No lock: the lane's row is locked. */
async function readCounts(
  client: pg.PoolClient,
  lane: LaneIdentity,
  importIds: readonly string[],
): Promise<Map<string, Counts>> {
  const { rows } = await client.query<Counts & { importId: string }>(
    `select i.id as "importId", coalesce(l.last_sequence, 0)::float8 as "lastSequence", coalesce(l.messages, 0)::float8 as messages,
            coalesce(l.records, 0)::float8 as records, coalesce(l.rows, 0)::float8 as rows, coalesce(l.duplicates, 0)::float8 as duplicates,
            coalesce(l.dead_letters, '{}') as "deadLetters"
       from models.import i
       left join models.import_lane l on l.import_id = i.id and l.cluster_id = $2 and l.topic_id = $3 and l.partition = $4
      where i.id = any($1::uuid[])`,
    [importIds, lane.clusterId, lane.topicId, lane.partition],
  );
  return new Map(rows.map(({ importId, ...count }) => [importId, count]));
}
