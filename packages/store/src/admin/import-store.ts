import type { CellPools } from './cell-pools.ts';
import * as imports from './imports.ts';

type ImportName = Pick<imports.StoredImport, 'id' | 'tenantId'>;

/** Imports of files, each in the cell of its tenant. */
export function createImportStore(cells: CellPools) {
  return {
    create: (input: imports.NewImport) => cells.runIn(input.tenantId, (models) => imports.createImport(models, input)),
    find: (id: string) => cells.findFirst((models) => imports.findImport(models, id)),
    /** Newest first. */
    async list(input: Parameters<typeof imports.listImports>[1]) {
      const found = await cells.runInEach((models) => imports.listImports(models, input));
      return found
        .flat()
        .toSorted((one, other) => (one.startedAt < other.startedAt ? 1 : -1))
        .slice(0, input.limit);
    },
    recordPublished: ({ id, tenantId }: ImportName, published: number, isComplete: boolean) =>
      cells.runIn(tenantId, (models) => imports.recordPublished(models, id, published, isComplete)),
    readOutcome: ({ id, tenantId }: ImportName) =>
      cells.runIn(tenantId, (models) => imports.readImportOutcome(models, id)),
  };
}
