import type { EntityKind, RecordTableName, TenantId } from '@tenantscope/contract';
import type { Json } from '../json/value.ts';
import type { DeadLetterReason, Stage } from './rejection.ts';

/** One record in full as of a version, without its stamp, which only the transaction that writes it knows. */
export interface RecordState {
  readonly tenantId: TenantId;
  readonly id: string;
  /** From 1 to 2^53 - 1. States of one id are ordered by (version, digest). */
  readonly version: number;
  /** SHA-256 of the canonical payload. */
  readonly digest: Buffer;
  /** By name of the SQL column, as the document shows them. */
  readonly columns: Readonly<Record<string, ColumnValue>>;
  /** By name of the SQL column, milliseconds since the epoch: the upstream times that windows act on. */
  readonly times: Readonly<Record<string, number>>;
  /** JSON text of the list row's members after id, updatedAt, version, changeId and tenantId, without braces. */
  readonly members: string;
  /**
   * JSON text of what the by-id document adds, without braces, empty where it adds nothing; null where there is no by-id
   * read.
   */
  readonly detailMembers: string | null;
  /** Whether it is a part of an alert, merged with the alert's other parts instead of replacing them. */
  readonly isPart?: true;
}

export type ColumnValue = string | number | boolean | readonly string[] | null;

/** What one source object states about an entity. The entity is its parts merged, see `mergeEntity`. */
export interface EntityPart {
  readonly tenantId: TenantId;
  readonly entityKind: EntityKind;
  readonly id: string;
  /** Which of the sources: `domain`, `graph.user`, `graph.riskyUser`, … */
  readonly part: string;
  /**
   * Whether it is the removal of the part. Stored next to the part's last state, so that neither order of arrival loses the
   * other.
   */
  readonly isRemoval: boolean;
  readonly version: number;
  readonly digest: Buffer;
  /** Fields by their names in the contract, neutralised. */
  readonly facts: Readonly<Record<string, Json>>;
  readonly aliases: readonly string[];
  readonly changedAtMs: number;
}

/** Identifies the row that an outcome is about. */
export type RowReference = { readonly tenantId: TenantId; readonly id: string } & (
  | { readonly table: RecordTableName }
  | { readonly table: 'entity'; readonly entityKind: EntityKind }
);

/** The outcome of one record. `element` is its position among the records of its message. */
export type RecordOutcome = { readonly element: number } & (
  | { readonly kind: 'state'; readonly table: RecordTableName; readonly state: RecordState }
  | { readonly kind: 'part'; readonly part: EntityPart }
  | ({
      readonly kind: 'removed';
      readonly version: number;
      readonly digest: Buffer;
      readonly deletedAtMs: number;
    } & RowReference)
  /**
   * A message without a value. It has no effect unless the row is live, which only the transaction knows: then it is a
   * SCHEMA_VIOLATION.
   */
  | ({ readonly kind: 'tombstone' } & RowReference)
  | RejectedRecord
);

export interface RejectedRecord {
  readonly kind: 'rejected';
  readonly reason: DeadLetterReason;
  readonly detail: string;
  readonly stage: Stage;
  /** The tenant that the envelope or key names, which may not exist; null where neither names one. */
  readonly tenantId: string | null;
  /** The kind of record or raw format that the type names; null where it names no such kind. */
  readonly format: string | null;
}
