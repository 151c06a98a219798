import { type DatabasePool, type DatabaseTransactionConnection, sql } from 'slonik';
import { translateErrors } from '../admin/database.ts';

/** Who makes a change, as recorded in the audit log. */
export interface AuditContext {
  /** `member:<id>`. */
  readonly actor: string;
  readonly sessionId: string | null;
  readonly requestId: string | null;
  /** The network address of the request. */
  readonly address?: string | null;
}

export type AuditedTransaction = DatabaseTransactionConnection;

/** Runs a change in one transaction whose settings tell the audit triggers who makes it. */
export function withAuditedTransaction<Value>(
  pool: DatabasePool,
  by: AuditContext,
  work: (transaction: AuditedTransaction) => Promise<Value>,
): Promise<Value> {
  return translateErrors(
    pool.transaction(async (transaction) => {
      await transaction.query(sql.unsafe`
        select set_config('tenantscope.actor', ${by.actor}, true), set_config('tenantscope.session', ${by.sessionId ?? ''}, true),
               set_config('tenantscope.request', ${by.requestId ?? ''}, true), set_config('tenantscope.address', ${by.address ?? ''}, true)`);
      return work(transaction);
    }),
  );
}
