import type { StatusQuery } from '@tenantscope/compliance';
import { ApiError } from '@tenantscope/contract';
import { QueryTimedOut, type ReadLimits } from '@tenantscope/store/connection';
import type { ReadModels } from '@tenantscope/store/read';
import { type Caller, requireTenant } from '../auth/caller.ts';
import type { OperationResult } from '../invoke.ts';
import { complianceTimeoutMs } from '../limits.ts';
import type { ReadDependencies } from '../records/list.ts';

/** Reads one document of a tenant from a single snapshot. */
type ReadComplianceDocument = (
  pool: ReturnType<ReadModels['poolFor']>,
  query: StatusQuery,
  limits: ReadLimits,
) => Promise<object>;

/** Evaluates a document on request. It counts against the read limit like a page, since it can cost as much, and is aborted when the client disconnects. */
export async function handleComplianceDocument(
  { models, readLimiter }: ReadDependencies,
  read: ReadComplianceDocument,
  caller: Caller,
): Promise<OperationResult> {
  const { id, connectedAtMs } = requireTenant(caller);
  const query = { tenantId: id, connectedAtMs, nowMs: null };
  const limits = { timeoutMs: complianceTimeoutMs, signal: caller.disconnectSignal() };
  const document = await readLimiter.run(caller.keyId, () =>
    read(models.poolFor(id), query, limits).catch(toPublicError),
  );
  return { body: JSON.stringify({ data: document }) };
}

/** This document has no window that the client could narrow. */
function toPublicError(error: unknown): never {
  if (!(error instanceof QueryTimedOut)) throw error;
  throw new ApiError(
    'QUERY_TIMEOUT',
    'The evaluation took too long. Repeat the request later, or read the latest stored snapshot with list_compliance_snapshots.',
    undefined,
    {},
    { cause: error },
  );
}
