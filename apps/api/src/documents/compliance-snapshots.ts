import {
  type ComplianceSnapshot,
  listComplianceSnapshots,
  type OperationInput,
  pageMaxBytes,
} from '@tenantscope/contract';
import { readSnapshotPage } from '@tenantscope/store/read';
import { type Caller, requireSlotOwner, requireTenantId } from '../auth/caller.ts';
import { type OperationResult, toPlainBody } from '../invoke.ts';
import { listTimeoutMs } from '../limits.ts';
import type { ReadDependencies } from '../records/list.ts';
import { parseListQuery } from '../records/list-query.ts';
import { explainIgnored } from '../records/page-note.ts';
import { describeUnwindowedPage } from '../records/unwindowed-pagination.ts';
import { summarizeStatus } from './document-view.ts';

/**
 * Reads a page of a tenant's snapshots, newest first, as committed: they are written in order, under a lock, so no watermark is needed. A page has
 * fewer rows than its limit if the documents would exceed the maximum response size.
 */
export async function handleSnapshotList(
  { models, readLimiter, cursors }: ReadDependencies,
  caller: Caller,
  input: OperationInput<typeof listComplianceSnapshots>,
): Promise<OperationResult> {
  const tenantId = requireTenantId(caller);
  const query = parseListQuery(cursors, listComplianceSnapshots, tenantId, input, null);
  const { limit } = query;
  const signal = caller.disconnectSignal();
  const rows = await readLimiter.run(requireSlotOwner(caller), signal, () =>
    readSnapshotPage(models, {
      tenantId,
      after: query.after,
      limit,
      maxBytes: pageMaxBytes,
      timeoutMs: listTimeoutMs,
      signal,
    }),
  );
  const { filters, windows, sort } = query;
  const nextCursor =
    rows.hasMore && rows.last
      ? cursors.encode({
          operation: listComplianceSnapshots.name,
          tenantId,
          filters,
          isPrivate: false,
          windows,
          sort,
          limit,
          after: rows.last,
        })
      : null;
  const pagination = describeUnwindowedPage(nextCursor, limit, explainIgnored(query.ignored));
  const body = toPlainBody(rows.close(`,"pagination":${JSON.stringify(pagination)}}`));
  const isSummary = query.filters.view?.every((view) => view === 'summary') ?? false;
  return { body: isSummary ? summarizeSnapshots(body) : body, nextCursor };
}

function summarizeSnapshots(body: Buffer | string): string {
  const page = JSON.parse(body.toString()) as { data: ComplianceSnapshot[] };
  const data = page.data.map((snapshot) => ({ ...snapshot, status: summarizeStatus(snapshot.status) }));
  return JSON.stringify({ ...page, data });
}
