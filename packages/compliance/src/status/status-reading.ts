import type { ComplianceStatus } from '@tenantscope/contract';
import type { SnapshotTask } from '@tenantscope/store/connection';

/** A status that a document is built from, at the same time as what else the document reads. */
export interface StatusReading {
  /** When the status is evaluated, epoch ms. */
  readonly nowMs: number;
  readonly read: SnapshotTask<ComplianceStatus>;
}
