import { sql } from 'slonik';
import { z } from 'zod';
import { translateErrors } from '../admin/database.ts';
import type { RejectedCount } from '../source/rejected-formats.ts';
import { type DeadLetterPools, joinMessages, listLedgers } from './dead-letters.ts';

const count = z.object({
  ledger: z.enum(['models', 'control']),
  tenantId: z.string().nullable(),
  topic: z.string(),
  format: z.string().nullable(),
  pending: z.number(),
  /** Pending, replayed and discarded ones: records that are no rows. */
  rejected: z.number(),
});
/** Unsettled dead letters of one tenant, topic and format. */
export type DeadLetterCount = z.infer<typeof count>;

/** Of these tenants, by format: records of a feed that are no rows. */
export function listRejected(
  counts: readonly DeadLetterCount[],
  tenantIds: readonly string[],
): readonly RejectedCount[] {
  const rejected = new Map<string, RejectedCount>();
  for (const { ledger, tenantId, format, rejected: more } of counts) {
    if (ledger !== 'models' || tenantId === null || !tenantIds.includes(tenantId)) continue;
    const key = JSON.stringify([tenantId, format]);
    rejected.set(key, { tenantId, format, rejected: (rejected.get(key)?.rejected ?? 0) + more });
  }
  return [...rejected.values()];
}

/** Unsettled dead letters of all tenants. Each has to be read, with the topic of its message: 800,000 took 20 s at a load of 12. */
export async function countDeadLetters(pools: DeadLetterPools): Promise<readonly DeadLetterCount[]> {
  const counts = await Promise.all(
    listLedgers(pools).map(({ pool, schema }) =>
      translateErrors(
        pool.any(sql.type(count)`
          select ${schema} as ledger, l.tenant_id as "tenantId", m.topic, l.format, count(*) filter (where l.state = 'pending') as pending, count(*) as rejected
            from ${joinMessages(schema)} where l.state <> 'settled' group by 2, 3, 4`),
      ),
    ),
  );
  return counts.flat();
}
