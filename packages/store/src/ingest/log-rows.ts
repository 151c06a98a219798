import type { RawFrame } from '../resource/raw-block.ts';
import { packRawTexts, type RawTexts } from './raw-texts.ts';

/** What a normalised log record brings to the table. Columns are what filters compare with; null means unknown. */
export interface AuditLogRow {
  tenantId: string;
  id: string;
  occurredAtMs: number;
  /** The finished response document as JSON text, its discoveredAt still a hole of 24 spaces at `documentStampAt`. */
  document: string;
  /** The collector's feed. */
  sourceName: string | null;
  /** Whether that is a category or table that the product does not list. */
  isUnlisted?: boolean;
  /** What rules and evidence look at beyond the columns. */
  facts: readonly LogFact[];
  columns: {
    severity: string | null;
    action: string;
    actorId: string | null;
    actorType: string | null;
    actorIp: string | null;
    resourceId: string | null;
    resourceType: string | null;
    workload: string | null;
    sourceType: string | null;
    clientApp: string | null;
    deviceId: string | null;
    isManagedDevice: boolean | null;
    applicationId: string | null;
    externalEventId: string | null;
    outcome: string | null;
    recordType: number | null;
    errorCode: string | null;
    sessionId: string | null;
    correlationId: string | null;
    actorUserId: string | null;
    targetIds: readonly string[] | null;
  };
  /** The record as received, see `RawEntry`. */
  source: { text: Uint8Array; frame: RawFrame | null };
}

/** Written with its row, once. */
export interface LogFact {
  kind: string;
  agentId: string | null;
  /** Of the agent that an interaction names; null in other facts. */
  agentName: string | null;
  actorId: string | null;
  /** JSON text of an object. */
  facts: string;
}

/** Every document begins `{"id":"…","occurredAt":"…","discoveredAt":"…"`: fixed widths, so that these are constants. */
export const documentIdAt = '{"id":"'.length;
const documentOccurredAt = documentIdAt + 36 + '","occurredAt":"'.length;
export const documentStampAt = '{"id":"'.length + 36 + '","occurredAt":"'.length + 24 + '","discoveredAt":"'.length;
export const stampBytes = 24;

export const copyColumns =
  'tenant_id, discovered_at, id, occurred_at, document, severity, action, actor_id, actor_type, actor_ip, resource_id, resource_type, ' +
  'workload, source_type, client_app, device_id, is_managed_device, application_id, external_event_id, outcome, record_type, error_code, session_id, ' +
  'correlation_id, actor_user_id, target_ids, normaliser_version';

const columnStampAt = 36 + 1;
const idAt = columnStampAt + stampBytes + 1;
const occurrenceAt = idAt + 36 + 1;
const lineDocumentAt = occurrenceAt + 24 + 1;
const lineDocumentStampAt = lineDocumentAt + documentStampAt;
const stampPlaceholder = ' '.repeat(stampBytes);

/**
 * Rows as COPY text, ready but for their stamps, which only the lane transaction knows. Sorted by tenant, so that a page of one tenant
 * touches few heap pages, and by id, the order in which identities are locked everywhere; `ordinals` keeps the order of their offsets,
 * which is the order of their stamps. Plain typed arrays, so that a worker thread can hand them over without a copy.
 */
export interface PreparedRows {
  bytes: Uint8Array;
  /** Where each line begins, and the end of the last: count + 1 values. */
  starts: Uint32Array;
  /** Position of each line's record in the batch. */
  ordinals: Uint32Array;
  /** Which of `sources` each line came from. */
  sourceIndexes: Uint32Array;
  sources: readonly LogSource[];
  /** Of few lines. */
  facts: readonly (LogFact & { line: number })[];
  raw: RawTexts;
}

export interface LogSource {
  tenantId: string;
  /** The collector's feed, null where it has none or its name is not plain. */
  name: string | null;
  isUnlisted: boolean;
}

/** Encodes rows given in offset order; of rows with one id only the first is kept. */
export function prepareRows(rows: readonly AuditLogRow[], normaliserVersion: number): PreparedRows {
  const seen = new Set<string>();
  const order: number[] = [];
  rows.forEach((row, ordinal) => {
    if (seen.has(row.id)) return;
    seen.add(row.id);
    order.push(ordinal);
  });
  const identities = rows.map(({ tenantId, id }) => tenantId + id);
  const identityOf = (ordinal: number) => identities[ordinal] as string;
  order.sort((a, b) => (identityOf(a) < identityOf(b) ? -1 : 1));

  const starts = new Uint32Array(order.length + 1);
  let bytes = Buffer.allocUnsafeSlow(estimateBytes(rows));
  let end = 0;
  order.forEach((ordinal, index) => {
    const line = serializeRow(rows[ordinal] as AuditLogRow, normaliserVersion);
    if (bytes.length - end < line.length * 3) {
      const larger = Buffer.allocUnsafeSlow(bytes.length * 2 + line.length * 3);
      bytes.copy(larger, 0, 0, end);
      bytes = larger;
    }
    starts[index] = end;
    end += bytes.write(line, end, 'utf8');
  });
  starts[order.length] = end;
  return {
    bytes: bytes.subarray(0, end),
    starts,
    ordinals: Uint32Array.from(order),
    ...collectSources(rows, order),
    facts: collectFacts(rows, order),
    raw: packRawTexts(order.map((ordinal) => (rows[ordinal] as AuditLogRow).source)),
  };
}

/**
 * Enough for lines of ASCII, so that their buffer is not grown: memory outside of the heap makes the engine mark the whole heap each
 * 64 MiB, on every core.
 */
function estimateBytes(rows: readonly AuditLogRow[]): number {
  return rows.reduce((sum, { document }) => sum + document.length + columnsBytes, longestLineBytes);
}

/** Columns of a line without its document: 380 bytes on average. */
const columnsBytes = 512;
/** A line is written where three bytes for each of its characters are free. */
const longestLineBytes = 65_536;

function collectSources(
  rows: readonly AuditLogRow[],
  order: readonly number[],
): Pick<PreparedRows, 'sourceIndexes' | 'sources'> {
  const numbers = new Map<string, number>();
  const sources: LogSource[] = [];
  const sourceIndexes = Uint32Array.from(order, (ordinal) => {
    const { tenantId, sourceName, isUnlisted = false } = rows[ordinal] as AuditLogRow;
    const key = `${tenantId}/${isUnlisted ? 'unlisted' : ''}/${sourceName ?? ''}`;
    const number = numbers.get(key);
    if (number !== undefined) return number;
    numbers.set(key, sources.length);
    const name = sourceName !== null && plainName.test(sourceName) ? sourceName : null;
    return sources.push({ tenantId, name, isUnlisted }) - 1;
  });
  return { sourceIndexes: sourceIndexes, sources };
}

function collectFacts(rows: readonly AuditLogRow[], order: readonly number[]): PreparedRows['facts'] {
  const facts: (LogFact & { line: number })[] = [];
  order.forEach((ordinal, line) => {
    for (const fact of rows[ordinal]?.facts ?? []) facts.push({ ...fact, line });
  });
  return facts;
}

/** Feeds are few: what does not look like the name of one is counted with all others. */
const plainName = /^[\w.-]{1,64}$/;

function serializeRow(row: AuditLogRow, normaliserVersion: number): string {
  const c = row.columns;
  const occurredAt = row.document.slice(documentOccurredAt, documentOccurredAt + stampBytes);
  const document = row.document.includes('\\') ? row.document.replaceAll('\\', '\\\\') : row.document;
  const text = mayNeedEscapes(c) ? escapeText : writeText;
  const targetIds = c.targetIds === null ? '\\N' : escapeText(arrayLiteral(c.targetIds));
  return (
    `${row.tenantId}\t${stampPlaceholder}\t${row.id}\t${occurredAt}\t${document}\t${text(c.severity)}\t${text(c.action)}\t${text(c.actorId)}\t` +
    `${text(c.actorType)}\t${text(c.actorIp)}\t${text(c.resourceId)}\t${text(c.resourceType)}\t${text(c.workload)}\t${text(c.sourceType)}\t` +
    `${text(c.clientApp)}\t${text(c.deviceId)}\t${c.isManagedDevice ?? '\\N'}\t${text(c.applicationId)}\t${text(c.externalEventId)}\t` +
    `${text(c.outcome)}\t${c.recordType ?? '\\N'}\t${text(c.errorCode)}\t${text(c.sessionId)}\t${text(c.correlationId)}\t` +
    `${text(c.actorUserId)}\t${targetIds}\t${normaliserVersion}\n`
  );
}

/** One search over all texts: a search of each of 18 columns took 0.6 µs more of each row. */
function mayNeedEscapes(c: AuditLogRow['columns']): boolean {
  return special.test(
    `${c.severity}${c.action}${c.actorId}${c.actorType}${c.actorIp}${c.resourceId}${c.resourceType}${c.workload}${c.sourceType}` +
      `${c.clientApp}${c.deviceId}${c.applicationId}${c.externalEventId}${c.outcome}${c.errorCode}${c.sessionId}${c.correlationId}${c.actorUserId}`,
  );
}

const special = /[\\\t\n\r]/;
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function writeText(value: string | null): string {
  return value ?? '\\N';
}

function escapeText(value: string | null): string {
  if (value === null) return '\\N';
  return special.test(value) ? value.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character) : value;
}

/** A literal of text[], before it is escaped for COPY. */
function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** The tenant and the id of the line that begins at `start`. */
export const readTenantId = (bytes: Buffer, start: number): string => bytes.toString('latin1', start, start + 36);
export const readLogId = (bytes: Buffer, start: number): string =>
  bytes.toString('latin1', start + idAt, start + idAt + 36);

/** When the line's row happened, and its stamp once it has one: RFC 3339, 24 characters. */
export const readOccurredAt = (bytes: Buffer, start: number): string =>
  bytes.toString('latin1', start + occurrenceAt, start + occurrenceAt + stampBytes);
export const readStamp = (bytes: Buffer, start: number): string =>
  bytes.toString('latin1', start + columnStampAt, start + columnStampAt + stampBytes);

/** A line of COPY text for the identity of a row: tenant, tab, id, tab, stamp, newline. */
export const identityBytes = 36 + 1 + 36 + 1 + stampBytes + 1;

/** Writes the identity of the stamped line that begins at `start` into `lines`, where it takes `identityBytes`. */
export function writeIdentity(bytes: Buffer, start: number, lines: Buffer, at: number): void {
  bytes.copy(lines, at, start, start + 36);
  lines[at + 36] = tab;
  bytes.copy(lines, at + 37, start + idAt, start + idAt + 36);
  lines[at + 73] = tab;
  bytes.copy(lines, at + 74, start + columnStampAt, start + columnStampAt + stampBytes);
  lines[at + identityBytes - 1] = newline;
}

const tab = 0x09;
const newline = 0x0a;

/** Writes the stamp into the column and into the document of the line that begins at `start`. */
export function stampLine(bytes: Buffer, start: number, stamp: string): void {
  bytes.write(stamp, start + columnStampAt, 'latin1');
  bytes.write(stamp, start + lineDocumentStampAt, 'latin1');
}
