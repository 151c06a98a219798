import type { ReadModels } from './read-models.ts';
import { isBeyond, type PagePosition, queryTenant, type RecordPage, type TenantQuery } from './record-page.ts';

export interface SnapshotPageQuery extends TenantQuery {
  readonly after: PagePosition | null;
  readonly limit: number;
  /** Documents of a page are together at most this long, but for a page of one. */
  readonly maxBytes: number;
}

/** One page of a tenant's snapshots, newest first. Throws StoreUnavailable or QueryTimedOut. */
export async function readSnapshotPage(models: ReadModels, query: SnapshotPageQuery): Promise<RecordPage> {
  const found = await queryTenant<{ document: string | null; at_ms: number; id: string }>(
    models,
    query,
    snapshotPageStatement(query),
  );
  const rows = found.slice(0, query.limit).filter(({ document }) => document !== null);
  const last = rows.at(-1);
  return {
    count: rows.length,
    hasMore: rows.length < found.length,
    last: last ? { atMs: last.at_ms, id: last.id } : null,
    close: (tail) => Buffer.from(`{"data":[${rows.map(({ document }) => document).join(',')}]${tail}`),
  };
}

/** Lengths are known without fetching the texts, so only documents that fit are read. */
export function snapshotPageStatement({ tenantId, after, limit, maxBytes }: SnapshotPageQuery): string {
  const beyond = after ? ` and ${isBeyond('r.taken_at', 'r.id', '<', after, (id) => `'${id}'::uuid`)}` : '';
  return (
    `select case when p.place = 1 or p.bytes <= ${maxBytes} then p.document end as document, (extract(epoch from p.taken_at) * 1000)::float8 as at_ms, p.id` +
    ` from (select r.document, r.taken_at, r.id, row_number() over newest as place, sum(octet_length(r.document)) over newest as bytes` +
    ` from models.compliance_snapshot r where r.tenant_id = '${tenantId}'${beyond}` +
    ` window newest as (order by r.taken_at desc, r.id desc rows unbounded preceding)` +
    ` order by r.taken_at desc, r.id desc limit ${Math.trunc(limit) + 1}) p order by p.taken_at desc, p.id desc`
  );
}
