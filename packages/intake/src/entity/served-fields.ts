import { type EntityKind, entities, storeMembers } from '@tenantscope/contract';

type Names = Readonly<Record<EntityKind, readonly string[]>>;

const kinds = Object.keys(entities) as EntityKind[];

/** What a list row of each kind holds but for what only the store knows, and what its by-id record adds. */
export const listFields = Object.fromEntries(kinds.map((kind) => [kind, fieldsOf(kind, 'list')])) as unknown as Names;
export const detailFields = Object.fromEntries(
  kinds.map((kind) => [kind, fieldsOf(kind, 'get').filter((name) => !listFields[kind].includes(name))]),
) as unknown as Names;

function fieldsOf(kind: EntityKind, question: 'list' | 'get'): string[] {
  const known: readonly string[] = storeMembers;
  return Object.keys(entities[kind][question].record.shape).filter((name) => !known.includes(name));
}
