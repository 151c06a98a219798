import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { asked } from '../admin/database.ts';
import type { Change } from './acting.ts';

/** What happened without changing a row, as the audit words it. */
export type NotedAct = 'signed in' | 'signed out' | 'downloaded' | 'opened' | 'exported' | 'ended';

export async function note(
  transaction: Change,
  noted: {
    organizationId: string;
    act: NotedAct;
    personId: string;
    subjectType?: string;
    subjectId?: string;
    details?: object;
  },
): Promise<void> {
  const { organizationId, act, personId, subjectType = 'person', subjectId = personId, details } = noted;
  await transaction.query(
    sql.unsafe`select control.note_admin_event(${organizationId}, ${act}, ${subjectType}, ${subjectId}, ${details === undefined ? null : JSON.stringify(details)}::jsonb)`,
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
/** A run of the playground: what was asked and with which outcome, never what was answered. */
export type PlaygroundRun = z.infer<typeof run>;

export interface NewRun extends Omit<PlaygroundRun, 'id' | 'at'> {
  readonly organizationId: string;
  readonly personId: string;
}

export async function noteRun(transaction: Change, made: NewRun): Promise<void> {
  const parameters = JSON.stringify(made.parameters);
  await transaction.query(sql.unsafe`
    insert into control.playground_run (person_id, tenant_id, mode, operation, parameters, status, duration_ms)
    values (${made.personId}, ${made.tenantId}, ${made.mode}, ${made.operation}, ${parameters}::jsonb, ${made.status}, ${made.durationMs})`);
  await transaction.query(sql.unsafe`
    select control.note_admin_event(${made.organizationId}, 'ran', 'operation', ${made.operation},
                                    jsonb_build_object('tenantId', ${made.tenantId}::text, 'mode', ${made.mode}::text, 'status', ${made.status}::integer, 'parameters', ${parameters}::jsonb))`);
}

const shownRuns = 50;

/** Those of a person against the tenants that it may look at now. */
export function listRuns(
  pool: DatabasePool,
  personId: string,
  tenantIds: readonly string[],
): Promise<readonly PlaygroundRun[]> {
  return asked(
    pool.any(sql.type(run)`
      select id, tenant_id as "tenantId", at, mode, operation, parameters, status, duration_ms as "durationMs"
        from control.playground_run where person_id = ${personId} and tenant_id = any(${sql.array([...tenantIds], 'uuid')}) order by at desc, id limit ${shownRuns}`),
  );
}
