import { readFactsDigest } from '@tenantscope/compliance';
import type { getComplianceStatus, OperationInput } from '@tenantscope/contract';
import { withReadSnapshot } from '@tenantscope/store/connection';
import { type Caller, requireSlotOwner, requireTenant } from '../auth/caller.ts';
import type { OperationResult } from '../invoke.ts';
import { listTimeoutMs } from '../limits.ts';
import type { ReadDependencies } from '../records/list.ts';
import { readInDocumentLimits, toPublicError } from './compliance-document.ts';
import type { DocumentDependencies } from './document-dependencies.ts';
import { findStatusInSnapshot } from './evaluated-status.ts';
import { checkRequirementKeys, selectFromStatus } from './status-selection.ts';

/**
 * The compliance status. While the tenant's facts are unchanged, the last one is returned, with the time at which it was evaluated: a
 * repeated request costs a lookup among the pages and does not wait for a document's turn.
 */
export async function handleComplianceStatus(
  sources: ReadDependencies & DocumentDependencies,
  caller: Caller,
  input: OperationInput<typeof getComplianceStatus>,
): Promise<OperationResult> {
  checkRequirementKeys(input);
  const body = (await findStatus(sources, caller)) ?? (await evaluateStatus(sources, caller));
  return { body: selectFromStatus(body, input) };
}

async function findStatus(
  { models, readLimiter, statusCache }: ReadDependencies & DocumentDependencies,
  caller: Caller,
): Promise<Buffer | null> {
  const tenant = requireTenant(caller);
  const signal = caller.disconnectSignal();
  if (!statusCache.has(tenant)) return null;
  const lookUp = () =>
    withReadSnapshot(
      models.poolFor(tenant.id),
      tenant.id,
      async (client) => statusCache.find(tenant, await readFactsDigest(client, tenant.id))?.body ?? null,
      { timeoutMs: listTimeoutMs, signal },
    );
  return readLimiter.run(requireSlotOwner(caller), signal, () => lookUp().catch(toPublicError));
}

function evaluateStatus(sources: DocumentDependencies, caller: Caller): Promise<Buffer> {
  const tenant = requireTenant(caller);
  return readInDocumentLimits(sources, caller, async (client) => {
    const { read } = await findStatusInSnapshot(sources, tenant, client);
    return read(client);
  });
}
