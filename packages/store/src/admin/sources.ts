import type { DatabasePool } from 'slonik';
import { countRejected, type RejectedFormat } from '../source/rejected-formats.ts';
import { listSourceStates, type SourceState } from '../source/source-states.ts';
import type { CellPools } from './cell-pools.ts';
import { translateErrors } from './database.ts';
import { listMovedTenants } from './tenant-moves.ts';

export interface Sources {
  readonly sources: readonly SourceState[];
  readonly rejected: readonly RejectedFormat[];
}

/** The problems name the cells that do not respond. */
export async function listSources(
  { control, cells }: { control: DatabasePool; cells: CellPools },
  tenantId: string | null,
): Promise<Sources & { readonly problems: readonly string[] }> {
  if (tenantId !== null)
    return { ...(await cells.runIn(tenantId, (models) => readSources(models, tenantId))), problems: [] };
  const moved = cells.names.length === 1 ? [] : await translateErrors(listMovedTenants(control));
  const { found, problems } = await cells.collect(async (models, cell) => {
    const others = new Set(moved.flatMap((tenant) => (tenant.cell === cell ? [] : [tenant.tenantId])));
    const { sources, rejected } = await readSources(models, null);
    return [{ sources: sources.filter((source) => !others.has(source.tenantId)), rejected }];
  });
  return {
    sources: found.flatMap(({ sources }) => sources),
    rejected: found.flatMap(({ rejected }) => rejected),
    problems,
  };
}

/** @param tenantId null: of all tenants */
async function readSources(models: DatabasePool, tenantId: string | null): Promise<Sources> {
  const tenantIds = tenantId === null ? null : [tenantId];
  const [sources, rejected] = await Promise.all([
    listSourceStates(models, tenantIds),
    countRejected(models, tenantIds),
  ]);
  return { sources, rejected };
}
