import type { StatusReading } from '@tenantscope/compliance';
import { ApiError, type ComplianceStatus } from '@tenantscope/contract';
import { type PoolClient, QueryTimedOut, withReadSnapshot } from '@tenantscope/store/connection';
import { type Caller, requireSlotOwner, requireTenant, requireTenantId } from '../auth/caller.ts';
import type { OperationResult } from '../invoke.ts';
import { complianceStatementTimeoutMs, complianceTimeoutMs } from '../limits.ts';
import type { DocumentDependencies } from './document-dependencies.ts';
import { findStatusInSnapshot } from './evaluated-status.ts';

/** Builds one document of a tenant from its status and what else it shows of the same facts. */
type ReadComplianceDocument = (client: PoolClient, tenantId: string, status: StatusReading) => Promise<object>;

/** Evaluates a document on request, within the limits of documents; aborted when the client disconnects. */
export async function handleComplianceDocument(
  sources: DocumentDependencies,
  read: ReadComplianceDocument,
  caller: Caller,
): Promise<OperationResult> {
  const tenant = requireTenant(caller);
  const document = await readInDocumentLimits(sources, caller, async (client) => {
    const { nowMs, read: readBody } = await findStatusInSnapshot(sources, tenant, client);
    const readStatus = async (one: PoolClient) => JSON.parse(String(await readBody(one))).data as ComplianceStatus;
    return read(client, tenant.id, { nowMs, read: readStatus });
  });
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
      statementTimeoutMs: complianceStatementTimeoutMs,
      signal,
      runStatement,
      usesSecondConnection: true,
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
