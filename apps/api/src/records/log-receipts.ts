import { dayMs, earliestTimeMs, listLogReceipts, type OperationInput, receiptDaysMax } from '@tenantscope/contract';
import { readLogReceipts } from '@tenantscope/store/read';
import { type Caller, requireSlotOwner, requireTenantId } from '../auth/caller.ts';
import { invalidParameter } from '../invalid-parameter.ts';
import { listTimeoutMs } from '../limits.ts';
import type { ReadDependencies } from './list.ts';

const defaultDays = 7;

/** The receipts of some days, as JSON texts. Throws INVALID_PARAMETER for more days than a response has. */
export async function readReceipts(
  { models, readLimiter }: ReadDependencies,
  caller: Caller,
  input: OperationInput<typeof listLogReceipts>,
): Promise<readonly string[]> {
  const toMs = input.to ?? Date.now();
  const fromMs = input.from ?? Math.max(earliestTimeMs, toMs - defaultDays * dayMs);
  if (Math.floor(toMs / dayMs) - Math.floor(fromMs / dayMs) >= receiptDaysMax) {
    const reason = `is ${receiptDaysMax} days or more before to; request fewer days at once`;
    throw invalidParameter(listLogReceipts, 'from', reason);
  }
  const signal = caller.disconnectSignal();
  return readLimiter.run(requireSlotOwner(caller), signal, (runStatement) =>
    runStatement(() =>
      readLogReceipts(models, { tenantId: requireTenantId(caller), fromMs, toMs, timeoutMs: listTimeoutMs, signal }),
    ),
  );
}
