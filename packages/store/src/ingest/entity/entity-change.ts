import type { EntityKind } from '@tenantscope/contract';
import type { RecordState } from '../record/record-batch.ts';

/** The state of one source object of an entity, or its removal. */
export interface EntityChange {
  tenantId: string;
  entityKind: EntityKind;
  id: string;
  part: string;
  isRemoval: boolean;
  version: number;
  digest: Buffer;
  facts: Readonly<Record<string, unknown>>;
  aliases: readonly string[];
  changedAtMs: number;
}

/** The entity merged from its parts, or null while no part proves that it exists. Pure: the same parts in any order give the same entity. */
export type MergeParts = (kind: EntityKind, parts: readonly EntityChange[]) => MergedParts | null;

export interface MergedParts {
  version: number;
  columns: RecordState['columns'];
  /** JSON text of the list row's members after firstSeenAt, without braces. */
  members: string;
  detailMembers: string;
  /** JSON text of what rules and evidence count, without braces; null where they count nothing. */
  facts: string | null;
  /** In lower case. */
  aliases: readonly string[];
  /** Whether the audit log named it while no inventory reported it. */
  wasSighted: boolean;
}

/** An entity that is served, merged from its parts. */
export interface ShownEntity {
  entity: Entity;
  entityNow: MergedParts;
}

/** An entity while its parts are applied. */
export interface Entity {
  tenantId: string;
  kind: EntityKind;
  id: string;
  /** By part and whether it is its removal. */
  parts: Map<string, EntityChange>;
  changed: Set<string>;
  /** Index of the last change that applied. */
  lastChange: number;
  /** What a later batch may take in place of reading the parts; null where they have no row. */
  cached: CachedParts | null;
}

/** The parts of an entity, and the version and digest of the row that was merged from them. */
export interface CachedParts {
  readonly parts: Map<string, EntityChange>;
  readonly version: number;
  readonly digest: Buffer;
}
