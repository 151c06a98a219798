import { type ComplianceStatus, formatTime } from '@tenantscope/contract';
import {
  readDeclarations,
  readLatestSnapshot,
  readMetrics,
  readSourceStates,
  type SnapshotSummary,
} from '@tenantscope/store/compliance';
import { type PoolClient, type ReadLimits, readClock, withReadSnapshot } from '@tenantscope/store/connection';
import { findExceptionState } from '../evaluation/exception.ts';
import { toAttestationHistory, toAttestations, toSelections, toTenantFacts } from './declarations.ts';
import { readExceptionFacts } from './read-exceptions.ts';
import type { Baseline } from './status-changes.ts';
import { buildStatusDocument, type StatusInput } from './status-document.ts';

/** The tenant and the time of a status, in epoch ms. */
export interface StatusQuery {
  readonly tenantId: string;
  readonly connectedAtMs: number;
  /** Null: the time at which the facts are read, by the database's clock. */
  readonly nowMs: number | null;
  /** Instead of the time at which the facts are read where the clock is behind it. */
  readonly earliestMs?: number;
  /** Whether the status becomes a snapshot of that time: a snapshot counts itself. */
  readonly becomesSnapshot?: boolean;
}

type Pool = Parameters<typeof withReadSnapshot>[0];

/** The compliance status, from facts that agree with each other. Throws what `withReadSnapshot` does. */
export function readStatus(pool: Pool, query: StatusQuery, limits: ReadLimits = {}): Promise<ComplianceStatus> {
  return withReadSnapshot(pool, query.tenantId, (client) => readStatusInSnapshot(client, query), limits);
}

/** The same inside a read snapshot of the tenant. */
export async function readStatusInSnapshot(client: PoolClient, query: StatusQuery): Promise<ComplianceStatus> {
  return buildStatusDocument(await readStatusInput(client, query));
}

/**
 * The same at a given time, and whether the rules give the same status to these facts until `stableMs` later: no attestation expires, no exception begins or ends, no
 * source becomes stale, no article applies from a day in between. Periods that end now are counted once: rows that leave them are not seen.
 */
export async function readStableStatus(
  client: PoolClient,
  query: StatusQuery & { readonly nowMs: number },
  stableMs: number,
): Promise<{ status: ComplianceStatus; isStable: boolean }> {
  const input = await readStatusInput(client, query);
  const status = buildStatusDocument(input);
  const later = buildStatusDocument({ ...input, nowMs: input.nowMs + stableMs });
  const isStable = hasSameExceptions(input, stableMs) && serializeWithoutTimes(status) === serializeWithoutTimes(later);
  return { status, isStable };
}

/** Whether no exception begins or ends until then: what one covers is read with the facts of its time only. */
const hasSameExceptions = ({ exceptions = [], nowMs }: StatusInput, stableMs: number): boolean =>
  exceptions.every((one) => findExceptionState(one, nowMs) === findExceptionState(one, nowMs + stableMs));

const serializeWithoutTimes = (status: ComplianceStatus): string =>
  JSON.stringify(status, (name, value) => (name === 'generatedAt' || name === 'evaluatedAt' ? undefined : value));

async function readStatusInput(client: PoolClient, query: StatusQuery): Promise<StatusInput> {
  const { tenantId, connectedAtMs } = query;
  // Read inside the snapshot, so that no fact is newer.
  const nowMs = query.nowMs ?? Math.max(await readClock(client), query.earliestMs ?? 0);
  const metrics = await readMetrics(client, { tenantId, connectedAtMs, nowMs });
  const sources = await readSourceStates(client, { tenantId, nowMs });
  const declared = await readDeclarations(client, { tenantId, nowMs });
  return {
    nowMs,
    metrics: query.becomesSnapshot ? includeThisSnapshot(metrics) : metrics,
    sources,
    attestations: toAttestations(declared),
    attestationHistory: toAttestationHistory(declared),
    selections: toSelections(declared),
    tenantFacts: toTenantFacts(declared),
    ...(await readExceptionFacts(client, { tenantId, connectedAtMs, nowMs })),
    baseline: toBaseline(await readLatestSnapshot(client, tenantId)),
  };
}

const snapshotsKey = 'ops.evidence.snapshots';

function includeThisSnapshot(metrics: StatusInput['metrics']): StatusInput['metrics'] {
  const before = metrics[snapshotsKey]?.snapshots ?? 0;
  return { ...metrics, [snapshotsKey]: { snapshots: before + 1, daysSinceLast: 0 } };
}

export function toBaseline(snapshot: SnapshotSummary | null): Baseline | null {
  if (snapshot === null) return null;
  const { id, takenAtMs, trigger, catalogueVersion, document } = snapshot;
  const { status } = JSON.parse(document) as { readonly status?: Partial<ComplianceStatus> };
  return { snapshotId: id, takenAt: formatTime(takenAtMs), trigger, catalogueVersion, status: readComparable(status) };
}

/** Snapshots outlive versions of the format: one of another format remains stored but is not compared. */
function readComparable(status: Partial<ComplianceStatus> | undefined): ComplianceStatus | null {
  const isRead = Array.isArray(status?.requirements) && Array.isArray(status.frameworks);
  return isRead ? (status as ComplianceStatus) : null;
}
