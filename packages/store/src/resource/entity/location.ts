import type { EntityKind } from '@tenantscope/contract';
import type { RecordTable } from '../../ingest/record/record-batch.ts';

/** Where the rows of a kind of entity lie, and how they are ordered and found. */
export function entityLocation(table: string, kind: EntityKind) {
  return {
    feed: 'entities',
    table: `models.entity_${table}`,
    axes: { updatedAt: 'updated_at' },
    aliases: { table: 'models.entity_alias', kind },
  } as const;
}

/** The table of a kind: what all have in common, and its own columns. */
export function entityColumns(table: string, columns: RecordTable['columns']): RecordTable {
  return { name: `entity_${table}`, columns: { is_deleted: 'boolean', ...columns }, times: ['first_seen_at'] };
}
