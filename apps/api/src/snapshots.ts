import { type InputOf, listComplianceSnapshots, snapshotPageMaxBytes } from '@tenantscope/contract';
import { readSnapshotPage } from '@tenantscope/store';
import { type Caller, tenantIdOf } from './caller.ts';
import type { Answer } from './invoke.ts';
import { listTimeoutMs } from './limits.ts';
import type { ListSources } from './list.ts';
import { readingOf } from './reading.ts';

/**
 * A page of a tenant's snapshots, newest first, as committed: they come in order, under a lock, so nothing waits for a watermark. It ends before its
 * limit where documents would be too much for one answer.
 */
export async function answerSnapshots(
  { models, turns, cursors }: ListSources,
  caller: Caller,
  input: InputOf<typeof listComplianceSnapshots>,
): Promise<Answer> {
  const tenantId = tenantIdOf(caller);
  const reading = readingOf(cursors, listComplianceSnapshots, tenantId, input, null);
  const { limit } = reading;
  const rows = await turns.take(caller.keyId, () =>
    readSnapshotPage(models, {
      tenantId,
      after: reading.after,
      limit,
      maxBytes: snapshotPageMaxBytes,
      timeoutMs: listTimeoutMs,
    }),
  );
  const { filters, windows, sort } = reading;
  const nextCursor =
    rows.hasMore && rows.last
      ? cursors.seal({
          operation: listComplianceSnapshots.name,
          tenantId,
          filters,
          windows,
          sort,
          limit,
          after: rows.last,
        })
      : null;
  const pagination = {
    nextCursor,
    hasMore: nextCursor !== null,
    limit,
    resumeCursor: null,
    completeThrough: null,
    window: { from: null, to: null },
  };
  return { body: rows.close(`,"pagination":${JSON.stringify(pagination)}}`), nextCursor };
}
