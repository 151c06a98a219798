import type pg from 'pg';
import type { EvidenceReference, ReportedRecord } from '../records.ts';

/** Selects subjects by members of their findings; all of them must match. */
export interface SubjectQuery {
  readonly subjectType?: string | null;
  /** Compared without case; an asterisk matches any text. */
  readonly subjectName?: string | null;
  readonly detail?: Readonly<Record<string, string>> | null;
}

export interface ExceptionPayload {
  readonly requirementKey: string;
  /** Either ids or a query. */
  readonly subjectIds?: readonly string[] | null;
  readonly query?: SubjectQuery | null;
  readonly reason: string;
  readonly approvedBy: string;
  readonly validFrom: string;
  readonly validUntil: string;
  readonly evidenceRefs?: readonly (string | EvidenceReference)[] | null;
  readonly withdrawnAt?: string | null;
  readonly withdrawnBy?: string | null;
  readonly withdrawalReason?: string | null;
}

/** A state of an exception, with who wrote it. */
export interface RecordedException extends ReportedRecord<ExceptionPayload> {
  /** Unique among the tenant's exceptions. */
  readonly recordId: string;
  readonly recordedAtMs: number;
  /** The audit's actor. */
  readonly recordedBy: string;
}

/**
 * The state of every exception as of an instant, by the history of its states: what was recorded, changed or withdrawn later is not read. The
 * client is in a transaction with the tenant set.
 */
export async function readExceptions(
  client: pg.ClientBase,
  { tenantId, nowMs }: { readonly tenantId: string; readonly nowMs: number },
): Promise<RecordedException[]> {
  const { rows } = await client.query<RecordedException>(
    `select distinct on (h.id) substr(h.id, strpos(h.id, '/') + 1) as "recordId", h.version::float8 as version, encode(h.digest, 'hex') as digest,
            (extract(epoch from h.recorded_at) * 1000)::float8 as "changedAtMs", h.facts as payload,
            (extract(epoch from h.recorded_at) * 1000)::float8 as "recordedAtMs", h.recorded_by as "recordedBy"
       from models.statement_history h
      where h.tenant_id = $1 and h.kind = 'exception' and h.recorded_at <= $2
      order by h.id, h.version desc, h.digest desc`,
    [tenantId, new Date(nowMs).toISOString()],
  );
  return rows;
}
