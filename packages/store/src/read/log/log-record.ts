import { formatEvent, formatTime } from '@tenantscope/contract';
import { stampSpreadMs } from '../../ingest/lane/lane-step.ts';
import { readFromBlock } from '../../resource/raw-block.ts';
import type { ReadModels } from '../read-models.ts';
import { queryTenant, type RowPosition, type TenantQuery, timestampLiteral } from '../record-page.ts';
import { readSealedDocument } from './sealed-record.ts';

export interface LogRecord {
  /** JSON text of the row, as lists serve it. */
  document: string;
  /** JSON text of the provider's record, as received; null where it was not kept. */
  raw: Buffer | null;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** One row of the log and the record it was made of; null when this tenant has no such row. Throws StoreUnavailable or QueryTimedOut. */
export async function readLogRecord(
  models: ReadModels,
  query: TenantQuery & { id: string; droppedBeforeMs?: number | null },
): Promise<LogRecord | null> {
  const { tenantId, id } = query;
  if (!uuid.test(id)) return null;
  const [identity] = await queryTenant<{ at_ms: number }>(models, query, identityStatement(tenantId, id));
  // Identities outlive their rows, and rows before the stored history may be about to be deleted.
  if (identity === undefined || identity.at_ms < (query.droppedBeforeMs ?? Number.NEGATIVE_INFINITY)) return null;
  const position = { atMs: identity.at_ms, id };
  const found = await queryTenant<StoredRow>(models, query, logRecordStatement(tenantId, id, position.atMs));
  if (found[0]) return { document: formatRow(tenantId, position, found[0]), raw: await readRaw(found, id) };
  // A row that is in no partition any more was sealed before this.
  const document = await readSealedDocument(models, query, position);
  if (document === null) return null;
  return { document, raw: await readRaw(await queryTenant(models, query, rawBlocksStatement(tenantId, position)), id) };
}

async function readRaw(blocks: readonly Pick<StoredRow, 'content'>[], id: string): Promise<Buffer | null> {
  let raw: Buffer | null = null;
  for (const { content } of blocks) raw ??= content === null ? null : await readFromBlock(content, id);
  return raw;
}

function formatRow(tenantId: string, { id, atMs }: RowPosition, row: StoredRow): string {
  const times = { occurredAt: formatTime(row.occurred_ms), discoveredAt: formatTime(atMs) };
  return formatEvent({ id, ...times, tenantId }, row.member_lines);
}

interface StoredRow {
  member_lines: string;
  occurred_ms: number;
  content: Buffer | null;
}

export function identityStatement(tenantId: string, id: string): string {
  return (
    'select (extract(epoch from i.discovered_at) * 1000)::float8 as at_ms from models.log_identity i' +
    ` where i.tenant_id = '${tenantId}' and i.id = '${id}'`
  );
}

export function logRecordStatement(tenantId: string, id: string, atMs: number): string {
  const at = timestampLiteral(atMs);
  return (
    'select r.member_lines, (extract(epoch from r.occurred_at) * 1000)::float8 as occurred_ms, b.content from models.audit_log r left join models.audit_log_raw b' +
    ` on ${enclosingBlock(tenantId, { atMs, id })}` +
    ` where r.tenant_id = '${tenantId}' and r.discovered_at = ${at} and r.id = '${id}'`
  );
}

/** Stamps of a block lie within a second. Two lanes may write blocks that enclose one stamp and one id: one of them has the record. */
const enclosingBlock = (tenantId: string, { atMs, id }: RowPosition): string =>
  `b.tenant_id = '${tenantId}' and b.discovered_at between ${timestampLiteral(atMs)} and ${timestampLiteral(atMs + stampSpreadMs)}` +
  ` and b.earliest_at <= ${timestampLiteral(atMs)} and '${id}'::uuid between b.first_id and b.last_id`;

const rawBlocksStatement = (tenantId: string, position: RowPosition): string =>
  `select b.content from models.audit_log_raw b where ${enclosingBlock(tenantId, position)}`;
