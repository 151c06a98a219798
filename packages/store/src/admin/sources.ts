import type { DatabasePool } from 'slonik';
import { countRejected, type RejectedFormat } from '../source/rejected-formats.ts';
import { listSourceStates, type SourceState } from '../source/source-states.ts';

export interface Sources {
  readonly sources: readonly SourceState[];
  readonly rejected: readonly RejectedFormat[];
}

/** @param tenantId null: of all tenants */
export async function readSources(models: DatabasePool, tenantId: string | null): Promise<Sources> {
  const tenantIds = tenantId === null ? null : [tenantId];
  const [sources, rejected] = await Promise.all([
    listSourceStates(models, tenantIds),
    countRejected(models, tenantIds),
  ]);
  return { sources, rejected };
}
