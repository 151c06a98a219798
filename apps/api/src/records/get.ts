import { ApiError } from '@tenantscope/contract';
import { type Resource, readRecord } from '@tenantscope/store/read';
import { type Caller, requireSlotOwner, requireTenantId } from '../auth/caller.ts';
import type { OperationResult } from '../invoke.ts';
import { listTimeoutMs } from '../limits.ts';
import type { ReadDependencies } from './list.ts';

/** Reads one record by its id, as committed. An unknown id and an id of another tenant give the same error. */
export async function handleGet(
  { models, readLimiter }: ReadDependencies,
  resource: Resource,
  caller: Caller,
  { id }: { readonly id: string },
): Promise<OperationResult> {
  const signal = caller.disconnectSignal();
  const document = await readLimiter.run(requireSlotOwner(caller), signal, (runStatement) =>
    runStatement(() =>
      readRecord(models, resource, { tenantId: requireTenantId(caller), id, timeoutMs: listTimeoutMs, signal }),
    ),
  );
  if (document === null) throw recordNotFound();
  return { body: `{"data":${document}}` };
}

export const recordNotFound = (): ApiError =>
  new ApiError('NOT_FOUND', 'Record not found in this tenant. Use an id that the list of the same resource returns.');
