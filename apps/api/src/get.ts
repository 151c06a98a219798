import { ApiError } from '@tenantscope/contract';
import { type Resource, readRecord } from '@tenantscope/store';
import { type Caller, tenantIdOf } from './caller.ts';
import type { Answer } from './invoke.ts';
import { listTimeoutMs } from './limits.ts';
import type { ListSources } from './list.ts';

/** One record by its id, as committed. Unknown and another tenant's answer alike. */
export async function answerGet(
  { models, turns }: ListSources,
  resource: Resource,
  caller: Caller,
  { id }: { readonly id: string },
): Promise<Answer> {
  const document = await turns.take(caller.keyId, () =>
    readRecord(models, resource, { tenantId: tenantIdOf(caller), id, timeoutMs: listTimeoutMs }),
  );
  if (document === null)
    throw new ApiError('NOT_FOUND', 'This tenant has no such record. Take an id from the list of the same resource.');
  return { body: `{"data":${document}}` };
}
