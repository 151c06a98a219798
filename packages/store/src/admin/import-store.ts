import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabasePool } from 'slonik';
import { readErrorCode } from '../connection/errors.ts';
import { type AvailableRows, type CellPools, collectAvailable, nameCell } from './cell-pools.ts';
import { findCellOfTopic } from './cells.ts';
import { translateErrors } from './database.ts';
import { DirectoryError } from './directory.ts';
import * as imports from './imports.ts';
import { listMovedTenants } from './tenant-moves.ts';

type ImportName = Pick<imports.StoredImport, 'id' | 'tenantId' | 'topic'>;

/** A move fences its tenant for as long as its last pass takes. */
const fencePatienceMs = 120_000;
const fencePollMs = 250;

/** What ingestion has counted in the cells that respond; the problems name the others, which may have counted more. */
export interface AvailableOutcome {
  readonly outcome: imports.ImportOutcome;
  readonly problems: readonly string[];
}

/** Imports of files, each in the cell of its tenant. A tenant that is moved, or was, may have copies in another cell. */
export function createImportStore({ control, cells }: { control: DatabasePool; cells: CellPools }) {
  return {
    /**
     * In the cell whose topics the import publishes to, which counts it: refused there once the tenant has left, whenever its cell was read. Then, and while a move
     * fences the tenant, it is created as soon as the tenant has a cell again.
     */
    create: (
      input: Omit<imports.NewImport, 'topic'>,
      findTopic: (cell: string) => Promise<string>,
    ): Promise<imports.StoredImport> =>
      whileFenced(async () => {
        const cell = await cells.findCell(input.tenantId);
        const topic = await findTopic(cell);
        return nameCell(cell, imports.createImport(await cells.open(cell), { ...input, topic }));
      }),
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
      const moved = cells.names.length === 1 ? [] : await translateErrors(listMovedTenants(control));
      const { found, problems } = await cells.collect((models, cell) => {
        const others = moved.filter((tenant) => tenant.cell !== cell);
        return imports.listImports(models, { ...input, otherTenantIds: others.map(({ tenantId }) => tenantId) });
      });
      const newest = found.toSorted((one, other) => (one.startedAt < other.startedAt ? 1 : -1));
      return { found: newest.slice(0, input.limit), problems };
    },
    recordPublished: ({ id, tenantId }: ImportName, published: number, isComplete: boolean): Promise<void> =>
      whileFenced(() => cells.runIn(tenantId, (models) => imports.recordPublished(models, id, published, isComplete))),
    /** Of the cell of its tenant, and of that in whose topics it runs: a tenant may have moved meanwhile. */
    async readOutcome({ id, tenantId, topic }: ImportName): Promise<AvailableOutcome> {
      const names = new Set([await cells.findCell(tenantId), await findCellOfTopic(control, topic)]);
      const { found, problems } = await collectAvailable([...names], async (cell) =>
        nameCell(cell, imports.readLaneCounts(await cells.open(cell), id)),
      );
      return { outcome: imports.sumLaneCounts(found), problems };
    },
  };
}

/** Repeats what the trigger models.reject_moving_tenant refuses, until the tenant has a cell that takes it. */
async function whileFenced<Value>(work: () => Promise<Value>): Promise<Value> {
  const deadlineMs = performance.now() + fencePatienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isFenced(error)) throw error;
      if (performance.now() > deadlineMs)
        throw new DirectoryError('the tenant is being moved to another cell, and the move was interrupted');
      await sleep(fencePollMs);
    }
  }
}

function isFenced(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (readErrorCode(cause) === '55000') return true;
  return false;
}
