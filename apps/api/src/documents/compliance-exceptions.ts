import { type ExceptionsPage, type ExceptionsQuery, readExceptionPage } from '@tenantscope/compliance';
import { formatTime, listComplianceExceptions, type OperationInput } from '@tenantscope/contract';
import { type Caller, requireTenantId } from '../auth/caller.ts';
import type { OperationResult } from '../invoke.ts';
import type { CursorContent } from '../records/cursor.ts';
import { parseListQuery } from '../records/list-query.ts';
import { explainIgnored } from '../records/page-note.ts';
import { describeUnwindowedPage, instantWindow } from '../records/unwindowed-pagination.ts';
import { readInDocumentLimits } from './compliance-document.ts';
import type { DocumentDependencies } from './document-dependencies.ts';

/** Reads a page of a tenant's exceptions, within the limits of documents: all of them are read. */
export async function handleExceptionsList(
  sources: DocumentDependencies,
  caller: Caller,
  input: OperationInput<typeof listComplianceExceptions>,
): Promise<OperationResult> {
  const { cursors } = sources;
  const tenantId = requireTenantId(caller);
  const { filters, windows, after, limit, ignored } = parseListQuery(
    cursors,
    listComplianceExceptions,
    tenantId,
    input,
    null,
  );
  const query: ExceptionsQuery = {
    tenantId,
    nowMs: windows[instantWindow]?.toMs ?? null,
    states: (filters.state as ExceptionsQuery['states'] | undefined) ?? null,
    requirementKeys: (filters.requirement as readonly string[] | undefined) ?? null,
    after: after?.id ?? null,
    limit,
  };
  const page = await readInDocumentLimits(sources, caller, (client) => readExceptionPage(client, query));
  const content = findContinuation(page, tenantId, filters, limit);
  const nextCursor = content && cursors.encode(content);
  const pagination = {
    ...describeUnwindowedPage(nextCursor, limit, explainIgnored(ignored)),
    evaluatedAt: formatTime(page.evaluatedAtMs),
  };
  return { body: JSON.stringify({ data: page.exceptions, pagination }), nextCursor };
}

/** Null on the last page. */
function findContinuation(
  { exceptions, hasMore, evaluatedAtMs }: ExceptionsPage,
  tenantId: string,
  filters: CursorContent['filters'],
  limit: number,
): CursorContent | null {
  const last = exceptions.at(-1);
  if (!hasMore || last === undefined) return null;
  return {
    operation: listComplianceExceptions.name,
    tenantId,
    filters,
    isPrivate: false,
    windows: { [instantWindow]: { fromMs: null, toMs: evaluatedAtMs } },
    sort: listComplianceExceptions.sorts[0],
    limit,
    after: { atMs: 0, id: last.id },
  };
}
