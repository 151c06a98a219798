import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';

const state = z.object({
  /** Of the record, unique among the tenant's attestations or exceptions. */
  recordId: z.string(),
  version: z.number(),
  recordedAt: z.string(),
  recordedBy: z.string(),
  /** Whether it is the record's present state, or that of an attestation which counts until a present state that is dated ahead. */
  isPresent: z.boolean(),
  /** The payload, as it was received. */
  payload: z.record(z.string(), z.unknown()),
});

/** A state of an attestation or an exception that was stored, with who wrote it. */
export type StatementState = z.infer<typeof state>;

export interface StatementQuery {
  readonly kind: 'attestation' | 'exception';
  /** Null: all. */
  readonly requirement: string | null;
  readonly recordId?: string | null;
  readonly onlyPresent: boolean;
  readonly limit: number;
}

/** States of a tenant's attestations or exceptions, newest first: of one requirement, of one record, or of all. */
export async function listStatementStates(
  pool: DatabasePool,
  tenantId: string,
  query: StatementQuery,
): Promise<readonly StatementState[]> {
  const id = query.recordId == null ? null : `${query.kind}/${query.recordId}`;
  return pool.any(sql.type(state)`
    select substr(h.id, strpos(h.id, '/') + 1) as "recordId", h.version, h.recorded_at as "recordedAt", h.recorded_by as "recordedBy",
           not l.is_replaced as "isPresent", h.facts as payload
      from models.statement_history h
     cross join lateral (
            select exists (select from models.statement_history n
                            where n.tenant_id = h.tenant_id and n.id = h.id and (n.version, n.digest) > (h.version, h.digest)
                              and (n.kind = 'exception' or least((n.facts->>'attestedAt')::timestamptz, (n.facts->>'withdrawnAt')::timestamptz) <= clock_timestamp())) as is_replaced) l
     where h.tenant_id = ${tenantId} and h.kind = ${query.kind}
       and (${id}::text is null or h.id = ${id})
       and (${query.requirement}::text is null or h.requirement_key = ${query.requirement})
       and (not l.is_replaced or not ${query.onlyPresent}::boolean)
     order by h.recorded_at desc, h.version desc, h.id limit ${query.limit}`);
}
