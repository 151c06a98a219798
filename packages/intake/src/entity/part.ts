import type { EntityKind, TenantId } from '@tenantscope/contract';
import type { EntityPart } from '../record-outcome.ts';

/** A part as the store keeps it: of each part the greatest state, and beside it the greatest removal. */
export type StoredPart = Pick<
  EntityPart,
  'part' | 'isRemoval' | 'version' | 'digest' | 'facts' | 'aliases' | 'changedAtMs'
>;

/** The part that the platform's own records are. */
export const domainPart = 'domain';

/** The removal of a part. It says nothing but that, and keeps its version so that no older state comes back. */
export function removalOf(removed: {
  readonly tenantId: TenantId;
  readonly entityKind: EntityKind;
  readonly id: string;
  readonly version: number;
  readonly digest: Buffer;
  readonly deletedAtMs: number;
}): EntityPart {
  const { tenantId, entityKind, id, version, digest, deletedAtMs } = removed;
  const said = { facts: {}, aliases: [], changedAtMs: deletedAtMs };
  return { tenantId, entityKind, id, part: domainPart, isRemoval: true, version, digest, ...said };
}
