import { boundedDocuments } from './bounded-documents.ts';
import type { ReadModels } from './read-models.ts';
import {
  type DocumentRow,
  isBeyond,
  type PagePosition,
  queryTenant,
  type RecordPage,
  type TenantQuery,
  toRecordPage,
} from './record-page.ts';

export interface SnapshotPageQuery extends TenantQuery {
  readonly after: PagePosition | null;
  readonly limit: number;
  /** Documents of a page are together at most this long, but for a page of one. */
  readonly maxBytes: number;
}

/** One page of a tenant's snapshots, newest first. Throws StoreUnavailable or QueryTimedOut. */
export async function readSnapshotPage(models: ReadModels, query: SnapshotPageQuery): Promise<RecordPage> {
  return toRecordPage(await queryTenant<DocumentRow>(models, query, snapshotPageStatement(query)), query.limit);
}

export function snapshotPageStatement({ tenantId, after, limit, maxBytes }: SnapshotPageQuery): string {
  const beyond = after ? ` and ${isBeyond('r.taken_at', 'r.id', '<', after, (id) => `'${id}'::uuid`)}` : '';
  return boundedDocuments(`models.compliance_snapshot r where r.tenant_id = '${tenantId}'${beyond}`, {
    columns: ['taken_at', 'id'],
    direction: 'desc',
    limit,
    maxBytes,
  });
}
