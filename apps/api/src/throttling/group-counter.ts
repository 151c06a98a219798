/** The key, tenant and organization that a request runs for. */
export interface SlotOwner {
  readonly keyId: string;
  readonly tenantId: string;
  /** Null: a tenant without an organization. */
  readonly organizationId: string | null;
}

export type Group = 'key' | 'tenant' | 'organization';

export interface GroupCounter {
  readonly total: number;
  /** The requests of the owner's group; 0 without such a group. */
  count(group: Group, owner: SlotOwner): number;
  add(owner: SlotOwner, amount: 1 | -1): void;
}

/** Counts requests by key, tenant and organization. A group without requests takes no memory. */
export function createGroupCounter(): GroupCounter {
  const counts = new Map<string, number>();
  let total = 0;
  return {
    get total() {
      return total;
    },
    count(group, owner) {
      const name = nameGroup(group, owner);
      return name === null ? 0 : (counts.get(name) ?? 0);
    },
    add(owner, amount) {
      total += amount;
      for (const group of ['key', 'tenant', 'organization'] as const) {
        const name = nameGroup(group, owner);
        if (name === null) continue;
        const count = (counts.get(name) ?? 0) + amount;
        if (count === 0) counts.delete(name);
        else counts.set(name, count);
      }
    },
  };
}

/** Null: the owner has no organization. */
export function nameGroup(group: Group, { keyId, tenantId, organizationId }: SlotOwner): string | null {
  if (group === 'key') return `key ${keyId}`;
  if (group === 'tenant') return `tenant ${tenantId}`;
  return organizationId === null ? null : `organization ${organizationId}`;
}
