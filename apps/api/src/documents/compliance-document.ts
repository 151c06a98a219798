import type { StatusQuery } from '@tenantscope/compliance';
import { ApiError } from '@tenantscope/contract';
import { QueryTimedOut, type ReadLimits, withReadSnapshot } from '@tenantscope/store/connection';
import type { ReadModels } from '@tenantscope/store/read';
import { type Caller, requireSlotOwner, requireTenant, requireTenantId } from '../auth/caller.ts';
import type { OperationResult } from '../invoke.ts';
import { complianceTimeoutMs } from '../limits.ts';
import type { DocumentDependencies } from './document-dependencies.ts';

/** Reads one document of a tenant from a single snapshot. */
type ReadComplianceDocument = (
  pool: ReturnType<ReadModels['poolFor']>,
  query: StatusQuery,
  limits: ReadLimits,
) => Promise<object>;

/** Evaluates a document on request, within the limits of documents; aborted when the client disconnects. */
export async function handleComplianceDocument(
  { documentModels, documentLimiter }: DocumentDependencies,
  read: ReadComplianceDocument,
  caller: Caller,
): Promise<OperationResult> {
  const { id, connectedAtMs } = requireTenant(caller);
  const query = { tenantId: id, connectedAtMs, nowMs: null };
  const signal = caller.disconnectSignal();
  const document = await documentLimiter.run(requireSlotOwner(caller), signal, (runStatement) =>
    read(documentModels.poolFor(id), query, { timeoutMs: complianceTimeoutMs, signal, runStatement }).catch(
      toPublicError,
    ),
  );
  return { body: JSON.stringify({ data: document }) };
}

/** Reads of one snapshot of the tenant's models, within the limits of documents; aborted when the client disconnects. */
export function readInDocumentLimits<Value>(
  { documentModels, documentLimiter }: DocumentDependencies,
  caller: Caller,
  read: Parameters<typeof withReadSnapshot<Value>>[2],
): Promise<Value> {
  const tenantId = requireTenantId(caller);
  const signal = caller.disconnectSignal();
  return documentLimiter.run(requireSlotOwner(caller), signal, (runStatement) =>
    withReadSnapshot(documentModels.poolFor(tenantId), tenantId, read, {
      timeoutMs: complianceTimeoutMs,
      signal,
      runStatement,
    }).catch(toPublicError),
  );
}

/** These documents have no window that the client could narrow. */
export function toPublicError(error: unknown): never {
  if (!(error instanceof QueryTimedOut)) throw error;
  throw new ApiError(
    'QUERY_TIMEOUT',
    'The evaluation took too long. Repeat the request later, or read the latest stored snapshot with list_compliance_snapshots.',
    undefined,
    {},
    { cause: error },
  );
}
