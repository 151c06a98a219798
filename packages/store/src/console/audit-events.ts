import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { translateErrors } from '../admin/database.ts';
import type { AuditedTransaction } from './audited-transaction.ts';

/** Actions that change no audited row, by their names in the audit log. */
export type RecordedAction = 'signed out' | 'downloaded' | 'opened' | 'exported' | 'ended';

export async function recordAuditEvent(
  transaction: AuditedTransaction,
  noted: {
    organizationId: string;
    action: RecordedAction;
    memberId: string;
    subjectType?: string;
    subjectId?: string;
    details?: object;
  },
): Promise<void> {
  const { organizationId, action, memberId, subjectType = 'member', subjectId = memberId, details } = noted;
  await transaction.query(
    sql.unsafe`select control.record_admin_action(${organizationId}, ${action}, ${subjectType}, ${subjectId}, ${details === undefined ? null : JSON.stringify(details)}::jsonb)`,
  );
}

const run = z.object({
  id: z.string(),
  tenantId: z.string(),
  at: z.string(),
  mode: z.enum(['rest', 'mcp']),
  operation: z.string(),
  parameters: z.record(z.string(), z.string()),
  status: z.number(),
  durationMs: z.number(),
});
/** A playground run: the request and its status, never the response. */
export type PlaygroundRun = z.infer<typeof run>;

export interface NewPlaygroundRun extends Omit<PlaygroundRun, 'id' | 'at'> {
  readonly organizationId: string;
  readonly memberId: string;
}

export async function recordPlaygroundRun(transaction: AuditedTransaction, run: NewPlaygroundRun): Promise<void> {
  const parameters = JSON.stringify(run.parameters);
  await transaction.query(sql.unsafe`
    insert into control.playground_run (member_id, tenant_id, mode, operation, parameters, status, duration_ms)
    values (${run.memberId}, ${run.tenantId}, ${run.mode}, ${run.operation}, ${parameters}::jsonb, ${run.status}, ${run.durationMs})`);
  await transaction.query(sql.unsafe`
    select control.record_admin_action(${run.organizationId}, 'ran', 'operation', ${run.operation},
                                    jsonb_build_object('tenantId', ${run.tenantId}::text, 'mode', ${run.mode}::text, 'status', ${run.status}::integer, 'parameters', ${parameters}::jsonb))`);
}

const shownRuns = 50;

/** The runs of a member against its currently visible tenants. */
export function listPlaygroundRuns(
  pool: DatabasePool,
  memberId: string,
  tenantIds: readonly string[],
): Promise<readonly PlaygroundRun[]> {
  return translateErrors(
    pool.any(sql.type(run)`
      select id, tenant_id as "tenantId", at, mode, operation, parameters, status, duration_ms as "durationMs"
        from control.playground_run where member_id = ${memberId} and tenant_id = any(${sql.array([...tenantIds], 'uuid')}) order by at desc, id limit ${shownRuns}`),
  );
}
