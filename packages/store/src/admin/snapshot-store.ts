import type { CellPools } from './cell-pools.ts';
import * as snapshots from './snapshots.ts';

/** Snapshots of compliance, each in the cell of its tenant. */
export function createSnapshotStore(cells: CellPools) {
  return {
    /** Newest first, without documents. */
    list: (tenantId: string, limit: number) =>
      cells.runIn(tenantId, (models) => snapshots.listSnapshots(models, tenantId, limit)),
    find: (tenantId: string, id: string) =>
      cells.runIn(tenantId, (models) => snapshots.findSnapshot(models, tenantId, id)),
    /** With documents, oldest first. */
    async *chain(tenantId: string) {
      yield* snapshots.readChain(await cells.openOf(tenantId), tenantId);
    },
    request: (tenantId: string, requestedBy: string) =>
      cells.runIn(tenantId, (models) => snapshots.requestSnapshot(models, tenantId, requestedBy)),
    readRequest: (tenantId: string, id: string) => cells.runIn(tenantId, (models) => snapshots.readRequest(models, id)),
  };
}
