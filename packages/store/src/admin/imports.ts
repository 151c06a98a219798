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

const outcome = z.object({
  messages: z.number(),
  records: z.number(),
  rows: z.number(),
  duplicates: z.number(),
  deadLetters: z.record(z.string(), z.number()),
});
/** What ingestion has counted of an import. Each record is a row, a duplicate or a dead letter, counted by reason. */
export type ImportOutcome = z.infer<typeof outcome>;

export async function readImportOutcome(models: DatabasePool, id: string): Promise<ImportOutcome> {
  return models.one(sql.type(outcome)`
    select coalesce(sum(messages), 0)::bigint as messages, coalesce(sum(records), 0)::bigint as records, coalesce(sum(rows), 0)::bigint as rows,
           coalesce(sum(duplicates), 0)::bigint as duplicates,
           coalesce((select jsonb_object_agg(reason, count order by count desc, reason)
                       from (select reason, sum(amount::bigint)::bigint as count
                               from models.import_lane l, jsonb_each_text(l.dead_letters) as each (reason, amount)
                              where l.import_id = ${id} group by reason) summed), '{}') as "deadLetters"
      from models.import_lane where import_id = ${id}`);
}

export function listImports(
  models: DatabasePool,
  input: { readonly limit: number; readonly tenantId?: string },
): Promise<readonly StoredImport[]> {
  const condition = input.tenantId === undefined ? sql.fragment`true` : sql.fragment`i.tenant_id = ${input.tenantId}`;
  return models.any(sql.type(storedImport)`
    select ${columns} from models.import i where ${condition} order by i.started_at desc, i.id limit ${input.limit}`);
}
