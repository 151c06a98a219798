import { type DatabasePool, type DatabaseTransactionConnection, sql } from 'slonik';
import { asked } from '../admin/database.ts';

/** Who changes something, as the audit names it. */
export interface Acting {
  /** `person:<id>`. */
  readonly actor: string;
  readonly sessionId: string | null;
  readonly requestId: string | null;
  /** From where: an address of the network. */
  readonly address?: string | null;
}

export type Change = DatabaseTransactionConnection;

/** One transaction of an administrator's change: the audit's triggers learn in it who makes it. */
export function change<Value>(
  pool: DatabasePool,
  by: Acting,
  work: (transaction: Change) => Promise<Value>,
): Promise<Value> {
  return asked(
    pool.transaction(async (transaction) => {
      await transaction.query(sql.unsafe`
        select set_config('tenantscope.actor', ${by.actor}, true), set_config('tenantscope.session', ${by.sessionId ?? ''}, true),
               set_config('tenantscope.request', ${by.requestId ?? ''}, true), set_config('tenantscope.address', ${by.address ?? ''}, true)`);
      return work(transaction);
    }),
  );
}
