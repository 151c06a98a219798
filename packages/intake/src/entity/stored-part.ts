import type { EntityKind, TenantId } from '@tenantscope/contract';
import type { EntityPart } from '../message/record-outcome.ts';

/** A part as stored: the newest state of each part and, separately, its newest removal. */
export type StoredPart = Pick<
  EntityPart,
  'part' | 'isRemoval' | 'version' | 'digest' | 'facts' | 'aliases' | 'changedAtMs'
>;

/** The part of the platform's own records. */
export const domainPart = 'domain';

/** The removal of a part. It has no facts; its version prevents an older state from coming back. */
export function createRemoval(removed: {
  readonly tenantId: TenantId;
  readonly entityKind: EntityKind;
  readonly id: string;
  readonly version: number;
  readonly digest: Buffer;
  readonly deletedAtMs: number;
}): EntityPart {
  const { tenantId, entityKind, id, version, digest, deletedAtMs } = removed;
  const content = { facts: {}, aliases: [], changedAtMs: deletedAtMs };
  return { tenantId, entityKind, id, part: domainPart, isRemoval: true, version, digest, ...content };
}
