import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';

const file = z.object({
  name: z.string(),
  /** Null of standard input. */
  bytes: z.number().nullable(),
  modifiedAtMs: z.number().nullable(),
});
export type ImportedFile = z.infer<typeof file>;

const storedImport = z.object({
  id: z.string(),
  tenantId: z.string(),
  topic: z.string(),
  format: z.string(),
  input: z.string(),
  files: z.array(file),
  startedBy: z.string(),
  startedAt: z.string(),
  published: z.number(),
  publishedAt: z.string().nullable(),
});
/** An import of files. `published` messages are in Kafka; all of them once `publishedAt` is set. */
export type StoredImport = z.infer<typeof storedImport>;

const columns = sql.fragment`i.id, i.tenant_id as "tenantId", i.topic, i.format, i.input, i.files, i.started_by as "startedBy",
  i.started_at as "startedAt", i.published, i.published_at as "publishedAt"`;

export type NewImport = Pick<StoredImport, 'tenantId' | 'topic' | 'format' | 'input' | 'files' | 'startedBy'>;

export function createImport(models: DatabasePool, input: NewImport): Promise<StoredImport> {
  return models.one(sql.type(storedImport)`
    insert into models.import as i (tenant_id, topic, format, input, files, started_by)
    values (${input.tenantId}, ${input.topic}, ${input.format}, ${input.input}, ${sql.jsonb(input.files)}, ${input.startedBy})
    returning ${columns}`);
}

export function findImport(models: DatabasePool, id: string): Promise<StoredImport | null> {
  return models.maybeOne(sql.type(storedImport)`select ${columns} from models.import i where i.id = ${id}`);
}

/** Records up to which message an import is in Kafka; never moves backwards. */
export async function recordPublished(
  models: DatabasePool,
  id: string,
  published: number,
  isComplete: boolean,
): Promise<void> {
  await models.query(sql.unsafe`
    update models.import set published = greatest(published, ${published}::bigint),
           published_at = case when ${isComplete} then clock_timestamp() else published_at end
     where id = ${id}`);
}

const laneCounts = z.object({
  clusterId: z.string(),
  topicId: z.string(),
  partition: z.number(),
  lastSequence: z.number(),
  messages: z.number(),
  records: z.number(),
  rows: z.number(),
  duplicates: z.number(),
  deadLetters: z.record(z.string(), z.number()),
});
type LaneCounts = z.infer<typeof laneCounts>;

/** What ingestion has counted of an import. Each record is a row, a duplicate or a dead letter, counted by reason, the most frequent first. */
export type ImportOutcome = Pick<LaneCounts, 'messages' | 'records' | 'rows' | 'duplicates' | 'deadLetters'>;

export function readLaneCounts(models: DatabasePool, id: string): Promise<readonly LaneCounts[]> {
  return models.any(sql.type(laneCounts)`
    select cluster_id as "clusterId", topic_id as "topicId", partition, last_sequence as "lastSequence", messages, records, rows, duplicates,
           dead_letters as "deadLetters"
      from models.import_lane where import_id = ${id}`);
}

/** A lane may be in two cells: a move copies its counts, and the lane goes on in its cell. Those that are further are complete. */
export function sumLaneCounts(counts: readonly LaneCounts[]): ImportOutcome {
  const lanes = Map.groupBy(counts, (lane) => `${lane.clusterId} ${lane.topicId} ${lane.partition}`).values();
  const furthest = lanes.map((of) => of.reduce((a, b) => (a.lastSequence < b.lastSequence ? b : a))).toArray();
  const sum = (read: (lane: LaneCounts) => number) => furthest.reduce((total, lane) => total + read(lane), 0);
  const reasons = [...new Set(furthest.flatMap(({ deadLetters }) => Object.keys(deadLetters)))].toSorted();
  const deadLetters = reasons.map((reason) => [reason, sum((lane) => lane.deadLetters[reason] ?? 0)] as const);
  return {
    messages: sum(({ messages }) => messages),
    records: sum(({ records }) => records),
    rows: sum(({ rows }) => rows),
    duplicates: sum(({ duplicates }) => duplicates),
    deadLetters: Object.fromEntries(deadLetters.toSorted(([, a], [, b]) => b - a)),
  };
}

/** Newest first, without those of `otherTenantIds`. */
export function listImports(
  models: DatabasePool,
  input: { readonly limit: number; readonly tenantId?: string; readonly otherTenantIds: readonly string[] },
): Promise<readonly StoredImport[]> {
  const condition = input.tenantId === undefined ? sql.fragment`true` : sql.fragment`i.tenant_id = ${input.tenantId}`;
  const others = sql.array([...input.otherTenantIds], 'uuid');
  return models.any(sql.type(storedImport)`
    select ${columns} from models.import i where ${condition} and i.tenant_id <> all(${others}) order by i.started_at desc, i.id limit ${input.limit}`);
}
