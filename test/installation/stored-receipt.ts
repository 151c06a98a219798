import type { LogReceipt } from '@tenantscope/contract';
import { digestJson } from '@tenantscope/proof';
import pg from 'pg';

export type ReceiptContent = Omit<LogReceipt, 'sha256'>;

/** The first receipt of a tenant, of a day without rows. */
export const emptyReceipt = (tenantId: string, day: string): ReceiptContent => ({
  tenantId,
  day,
  rowCount: 0,
  hours: [],
  layout: null,
  previousSha256: null,
});

/** In a transaction of the tenant that writes. */
export async function insertReceipt(client: pg.ClientBase, content: ReceiptContent, sha256?: string): Promise<void> {
  const receipt = { ...content, sha256: sha256 ?? (await digestJson(content)) };
  await client.query(
    'insert into models.log_receipt (tenant_id, day, row_count, previous_sha256, sha256, document) values ($1, $2, $3, $4, $5, $6)',
    [receipt.tenantId, receipt.day, 0, receipt.previousSha256, receipt.sha256, JSON.stringify(receipt)],
  );
}

/** Stores a receipt for each of the tenants with the rights of jobs, as of yesterday. */
export async function storeReceipts(jobs: string, tenantIds: readonly string[], sha256?: string): Promise<void> {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const client = new pg.Client(jobs);
  await client.connect();
  try {
    for (const tenantId of tenantIds) {
      await client.query('begin read write');
      await client.query(`select set_config('tenantscope.tenant', $1, true)`, [tenantId]);
      await insertReceipt(client, emptyReceipt(tenantId, yesterday), sha256);
      await client.query('commit');
    }
  } finally {
    await client.end();
  }
}
