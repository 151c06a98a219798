import type { PoolClient } from 'pg';

/** What a section of an evidence pack is read with: one moment of the database, one tenant, one window. */
export interface EvidenceQuery {
  /** Inside one repeatable-read transaction with the tenant set for row-level security. */
  readonly client: PoolClient;
  readonly tenantId: string;
  /** The window, closed at both ends, epoch ms. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Rows of the log count while they were discovered at or before it. */
  readonly storedThroughMs: number;
}

/** The last row served: its values in the section's order. */
export type EvidencePosition = readonly (string | number | boolean | null)[];

export interface EvidencePage {
  readonly after: EvidencePosition | null;
  /** 0: the rows are only counted. */
  readonly limit: number;
}

export interface OrderedRows<Row> {
  readonly rows: readonly Row[];
  /** Rows after the position, those beyond the limit included. */
  readonly totalRowCount: number;
}
