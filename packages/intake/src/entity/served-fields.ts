import { type EntityKind, entities, storeOnlyMembers } from '@tenantscope/contract';

type Names = Readonly<Record<EntityKind, readonly string[]>>;

const kinds = Object.keys(entities) as EntityKind[];

/** The members of each kind's list row without those that only the store knows, and the members that its by-id record adds. */
export const listFields = Object.fromEntries(
  kinds.map((kind) => [kind, listFieldNames(kind, 'list')]),
) as unknown as Names;
export const detailFields = Object.fromEntries(
  kinds.map((kind) => [kind, listFieldNames(kind, 'get').filter((name) => !listFields[kind].includes(name))]),
) as unknown as Names;

function listFieldNames(kind: EntityKind, operation: 'list' | 'get'): string[] {
  const excluded: readonly string[] = storeOnlyMembers;
  return Object.keys(entities[kind][operation].record.shape).filter((name) => !excluded.includes(name));
}
