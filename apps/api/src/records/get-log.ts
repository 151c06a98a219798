import { readLogRecord } from '@tenantscope/store/read';
import { type Caller, requireSlotOwner, requireTenantId } from '../auth/caller.ts';
import type { OperationResult } from '../invoke.ts';
import { listTimeoutMs } from '../limits.ts';
import { recordNotFound } from './get.ts';
import type { ReadDependencies } from './list.ts';

/** Reads one row of the log by its id, as committed, with the provider's record, whose bytes are passed on. */
export async function handleGetLog(
  { models, readLimiter, watermark }: ReadDependencies,
  caller: Caller,
  { id }: { readonly id: string },
): Promise<OperationResult> {
  const signal = caller.disconnectSignal();
  const tenantId = requireTenantId(caller);
  const droppedBeforeMs = watermark.history('logs', tenantId)?.droppedBeforeMs ?? null;
  const record = await readLimiter.run(requireSlotOwner(caller), signal, (runStatement) =>
    runStatement(() => readLogRecord(models, { tenantId, id, droppedBeforeMs, timeoutMs: listTimeoutMs, signal })),
  );
  if (record === null) throw recordNotFound();
  const { document, raw } = record;
  const head = Buffer.from(`{"data":${document.slice(0, -1)},"rawData":`);
  return { body: Buffer.concat([head, raw ?? Buffer.from('null'), Buffer.from('}}')]) };
}
