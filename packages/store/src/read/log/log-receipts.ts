import type { ReadModels } from '../read-models.ts';
import { queryTenant, type TenantQuery } from '../record-page.ts';

/** The documents of a tenant's receipts from one UTC day to another, both included. Throws StoreUnavailable or QueryTimedOut. */
export async function readLogReceipts(
  models: ReadModels,
  query: TenantQuery & { readonly fromMs: number; readonly toMs: number },
): Promise<readonly string[]> {
  const day = (ms: number) => `'${new Date(ms).toISOString().slice(0, 10)}'::date`;
  const rows = await queryTenant<{ document: string }>(
    models,
    query,
    `select r.document from models.log_receipt r where r.tenant_id = '${query.tenantId}' and r.day between ${day(query.fromMs)} and ${day(query.toMs)} order by r.day`,
  );
  return rows.map(({ document }) => document);
}
