import { type ComplianceStatus, showTime } from '@tenantscope/contract';
import {
  atOneMoment,
  type KeptSnapshot,
  type MomentLimits,
  type PoolClient,
  readClock,
  readDeclarations,
  readLatestSnapshot,
  readMetrics,
  readSourceStates,
} from '@tenantscope/store';
import type { Baseline } from './changes.ts';
import { attestationsOf, selectionsOf, tenantFactsOf } from './declarations.ts';
import { type StatusInput, statusDocument } from './status-document.ts';

/** Whose status, at which moment: epoch ms. */
export interface StatusQuestion {
  readonly tenantId: string;
  readonly connectedAtMs: number;
  /** Null: when the facts are read, by the database's clock. */
  readonly nowMs: number | null;
  /** Whether the answer becomes a snapshot of that very moment: taking one counts itself. */
  readonly becomesSnapshot?: boolean;
}

type Pool = Parameters<typeof atOneMoment>[0];

/** The compliance status, from facts that agree with each other. Throws what `atOneMoment` does. */
export function readStatus(pool: Pool, question: StatusQuestion, limits: MomentLimits = {}): Promise<ComplianceStatus> {
  return atOneMoment(pool, question.tenantId, (client) => statusBehind(client, question), limits);
}

/** The same inside a transaction that stands at one moment with the tenant set. */
export async function statusBehind(client: PoolClient, question: StatusQuestion): Promise<ComplianceStatus> {
  return statusDocument(await readStatusInput(client, question));
}

async function readStatusInput(client: PoolClient, question: StatusQuestion): Promise<StatusInput> {
  const { tenantId, connectedAtMs } = question;
  // After the moment began, so that nothing in it is younger.
  const nowMs = question.nowMs ?? (await readClock(client));
  const metrics = await readMetrics(client, { tenantId, connectedAtMs, nowMs });
  const sources = await readSourceStates(client, { tenantId, nowMs });
  const declared = await readDeclarations(client, tenantId);
  return {
    nowMs,
    metrics: question.becomesSnapshot ? withOneSnapshotMore(metrics) : metrics,
    sources,
    attestations: attestationsOf(declared),
    selections: selectionsOf(declared),
    tenantFacts: tenantFactsOf(declared),
    baseline: baselineOf(await readLatestSnapshot(client, tenantId)),
  };
}

const snapshotsKey = 'ops.evidence.snapshots';

function withOneSnapshotMore(metrics: StatusInput['metrics']): StatusInput['metrics'] {
  const before = metrics[snapshotsKey]?.snapshots ?? 0;
  return { ...metrics, [snapshotsKey]: { snapshots: before + 1, daysSinceLast: 0 } };
}

export function baselineOf(snapshot: KeptSnapshot | null): Baseline | null {
  if (snapshot === null) return null;
  const { id, takenAtMs, trigger, catalogueVersion, document } = snapshot;
  const { status } = JSON.parse(document) as { readonly status?: Partial<ComplianceStatus> };
  return { snapshotId: id, takenAt: showTime(takenAtMs), trigger, catalogueVersion, status: comparable(status) };
}

/** Snapshots last longer than versions: one of another shape stands, and is not compared with. */
function comparable(status: Partial<ComplianceStatus> | undefined): ComplianceStatus | null {
  const isRead = Array.isArray(status?.requirements) && Array.isArray(status.frameworks);
  return isRead ? (status as ComplianceStatus) : null;
}
