import { readComparison } from '@tenantscope/compliance';
import { formatTime, getComplianceChanges, type OperationInput } from '@tenantscope/contract';
import { readClock } from '@tenantscope/store/connection';
import { type Caller, requireTenant } from '../auth/caller.ts';
import { invalidParameter } from '../invalid-parameter.ts';
import type { OperationResult } from '../invoke.ts';
import { readInDocumentLimits } from './compliance-document.ts';
import type { DocumentDependencies } from './document-dependencies.ts';

type Input = OperationInput<typeof getComplianceChanges>;

/** Compares two dates, within the limits of documents: without an end the present status is evaluated. */
export async function handleComplianceChanges(
  sources: DocumentDependencies,
  caller: Caller,
  input: Input,
): Promise<OperationResult> {
  const { id: tenantId, connectedAtMs } = requireTenant(caller);
  const comparison = await readInDocumentLimits(sources, caller, async (client) => {
    const nowMs = await readClock(client);
    const dates = parseDates(input, nowMs, connectedAtMs);
    return readComparison(client, { tenantId, connectedAtMs, nowMs, ...dates, frameworks: input.framework ?? null });
  });
  return { body: JSON.stringify({ data: comparison }) };
}

/** Throws INVALID_PARAMETER for dates in the wrong order, and for an end before the tenant was connected. An end that is not past is the present. */
function parseDates({ from, to }: Input, nowMs: number, connectedAtMs: number) {
  const endMs = Math.min(to ?? nowMs, nowMs);
  if (endMs < connectedAtMs) {
    const since = formatTime(connectedAtMs);
    throw invalidParameter(
      getComplianceChanges,
      'to',
      `is before ${since}, when this tenant was connected; use a time at or after ${since}`,
    );
  }
  if (from !== undefined && from > endMs)
    throw invalidParameter(getComplianceChanges, 'from', `is later than ${formatTime(endMs)}, the end`);
  return { fromMs: from ?? null, toMs: endMs < nowMs ? endMs : null };
}
