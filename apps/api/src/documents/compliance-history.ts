import {
  findFrameworkKey,
  findRequirement,
  type HistoryPage,
  type HistoryQuery,
  readFrameworkHistory,
  readRequirementHistory,
} from '@tenantscope/compliance';
import {
  ApiError,
  invalidCursorMessage,
  listFrameworkHistory,
  listRequirementHistory,
  type OperationInput,
} from '@tenantscope/contract';
import { type Caller, requireTenantId } from '../auth/caller.ts';
import type { OperationResult } from '../invoke.ts';
import { parseListQuery } from '../records/list-query.ts';
import { explainIgnored } from '../records/page-note.ts';
import { describeUnwindowedPage } from '../records/unwindowed-pagination.ts';
import { readInDocumentLimits } from './compliance-document.ts';
import type { DocumentDependencies } from './document-dependencies.ts';

type Client = Parameters<typeof readRequirementHistory>[0];
type Operation = typeof listRequirementHistory | typeof listFrameworkHistory;

export function handleRequirementHistory(
  sources: DocumentDependencies,
  caller: Caller,
  input: OperationInput<typeof listRequirementHistory>,
): Promise<OperationResult> {
  const key = findRequirement(input.id)?.key ?? null;
  if (key === null)
    throw new ApiError('NOT_FOUND', 'Requirement not found. Use a key of requirements in /compliance/status.');
  return readPage(sources, caller, { operation: listRequirementHistory, input, key, read: readRequirementHistory });
}

export function handleFrameworkHistory(
  sources: DocumentDependencies,
  caller: Caller,
  input: OperationInput<typeof listFrameworkHistory>,
): Promise<OperationResult> {
  const key = findFrameworkKey(input.id);
  if (key === null)
    throw new ApiError('NOT_FOUND', 'Framework not found. Use a key of frameworks in /compliance/status.');
  return readPage(sources, caller, { operation: listFrameworkHistory, input, key, read: readFrameworkHistory });
}

interface HistoryRequest {
  readonly operation: Operation;
  readonly input: OperationInput<Operation>;
  readonly key: string;
  readonly read: (client: Client, query: HistoryQuery) => Promise<HistoryPage<unknown>>;
}

/** Reads a page of a history, within the limits of documents: every snapshot of the page is parsed as a whole. */
async function readPage(
  sources: DocumentDependencies,
  caller: Caller,
  { operation, input, key, read }: HistoryRequest,
): Promise<OperationResult> {
  const { cursors } = sources;
  const tenantId = requireTenantId(caller);
  const { after, filters, windows, sort, limit, ignored } = parseListQuery(cursors, operation, tenantId, input, null);
  if (after !== null && filters.key?.[0] !== key) throw new ApiError('INVALID_CURSOR', invalidCursorMessage);
  const page = await readInDocumentLimits(sources, caller, (client) => read(client, { tenantId, key, after, limit }));
  const next = { operation: operation.name, tenantId, filters: { key: [key] }, isPrivate: false, windows, sort, limit };
  const nextCursor = page.hasMore && page.last ? cursors.encode({ ...next, after: page.last }) : null;
  const pagination = describeUnwindowedPage(nextCursor, limit, explainIgnored(ignored));
  return { body: JSON.stringify({ data: page.points, pagination }), nextCursor };
}
