import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabasePool } from 'slonik';
import { readErrorCode } from '../connection/errors.ts';
import type { AvailableRows, CellPools } from './cell-pools.ts';
import { translateErrors } from './database.ts';
import { DirectoryError } from './directory.ts';
import * as imports from './imports.ts';
import { listMovedTenants } from './tenant-moves.ts';

type ImportName = Pick<imports.StoredImport, 'id' | 'tenantId'>;

/** A move fences its tenant for as long as its last pass takes. */
const fencePatienceMs = 120_000;
const fencePollMs = 250;

/** Imports of files, each in the cell of its tenant. A tenant that is moved, or was, may have copies in another cell. */
export function createImportStore({ control, cells }: { control: DatabasePool; cells: CellPools }) {
  const listMoved = async () => (cells.names.length === 1 ? [] : await translateErrors(listMovedTenants(control)));
  return {
    create: (input: imports.NewImport) => cells.runIn(input.tenantId, (models) => imports.createImport(models, input)),
    find: (id: string): Promise<imports.StoredImport | null> =>
      cells.findFirst(async (models, cell) => {
        const found = await imports.findImport(models, id);
        return found !== null && (await cells.findCell(found.tenantId)) === cell ? found : null;
      }),
    /** Newest first, of the cells that respond. */
    async list(input: {
      readonly limit: number;
      readonly tenantId?: string;
    }): Promise<AvailableRows<imports.StoredImport>> {
      const moved = await listMoved();
      const { found, problems } = await cells.collect((models, cell) => {
        const others = moved.filter((tenant) => tenant.cell !== cell);
        return imports.listImports(models, { ...input, otherTenantIds: others.map(({ tenantId }) => tenantId) });
      });
      const newest = found.toSorted((one, other) => (one.startedAt < other.startedAt ? 1 : -1));
      return { found: newest.slice(0, input.limit), problems };
    },
    /** Waits while a move fences the tenant. */
    async recordPublished({ id, tenantId }: ImportName, published: number, isComplete: boolean): Promise<void> {
      const deadlineMs = performance.now() + fencePatienceMs;
      for (;;) {
        try {
          await cells.runIn(tenantId, (models) => imports.recordPublished(models, id, published, isComplete));
          return;
        } catch (error) {
          if (!isFenced(error)) throw error;
          if (performance.now() > deadlineMs)
            throw new DirectoryError('the tenant is being moved to another cell, and the move was interrupted');
          await sleep(fencePollMs);
        }
      }
    },
    async readOutcome({ id, tenantId }: ImportName): Promise<imports.ImportOutcome> {
      const others = (await listMoved()).filter((tenant) => tenant.tenantId === tenantId);
      const names = new Set([await cells.findCell(tenantId), ...others.map(({ otherCell }) => otherCell)]);
      const counts = [...names].map(async (cell) =>
        translateErrors(imports.readLaneCounts(await cells.open(cell), id)),
      );
      return imports.sumLaneCounts((await Promise.all(counts)).flat());
    },
  };
}

/** The trigger models.reject_moving_tenant refused the change. */
function isFenced(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (readErrorCode(cause) === '55000') return true;
  return false;
}
