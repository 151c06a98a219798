import { type CollectorProviderName, type CollectorStream, collectorProviders, dayMs } from '@tenantscope/contract';
import type { ClaimedStream, CollectionGap, RunFailure } from '@tenantscope/store/collect';

/** The payload of a `sourceStatus` record: what the product knows of a source's completeness. */
export interface SourceStatus {
  readonly id: string;
  readonly tenantId: string;
  readonly version: number;
  readonly changedAt: string;
  readonly source: string;
  readonly enabled: boolean;
  /** False: the provider refuses the records for want of a licence. Null: nothing says so. */
  readonly licensed: false | null;
  readonly connectedAt: string;
  readonly lastCompleteImportAt: string | null;
  readonly gaps: readonly CollectionGap[];
}

/** A status is repeated after this time, with a newer `lastCompleteImportAt`: freshness is judged in hours. */
const repeatMs = 300_000;
/** A stream that has not been complete for three intervals, and for this time, is behind. */
const behindMs = 300_000;

/** How far a run has come. */
export interface RunProgress {
  readonly completedAtMs: number | null;
  readonly gaps: readonly CollectionGap[];
  readonly failure: RunFailure | null;
}

export function findStream({ provider, stream }: ClaimedStream): CollectorStream {
  const { streams }: { streams: Readonly<Record<string, CollectorStream>> } =
    collectorProviders[provider as CollectorProviderName];
  const found = streams[stream];
  if (found === undefined) throw new Error(`${provider} has no stream ${stream}`);
  return found;
}

/**
 * The gaps are those that can no longer be closed and, while the stream is behind, the time since it was last complete: its records are not here yet. That one ends with
 * the next complete run.
 */
export function describeStatus(stream: ClaimedStream, progress: RunProgress, nowMs: number): SourceStatus {
  const { completedAtMs } = progress;
  return {
    id: `collector.${stream.collectorId}.${stream.stream}`,
    tenantId: stream.tenantId,
    version: nextVersion(stream.reported?.version, nowMs),
    changedAt: toTime(nowMs),
    source: findStream(stream).source,
    enabled: stream.state === 'active',
    licensed: progress.failure?.kind === 'unlicensed' ? false : null,
    connectedAt: toTime(stream.createdAtMs),
    lastCompleteImportAt: completedAtMs === null ? null : toTime(completedAtMs),
    gaps: [...progress.gaps, ...describeOpenGap(stream, progress, nowMs)],
  };
}

/** A version that is further ahead was refused by ingest: a clock has been set back since. */
function nextVersion(before: unknown, nowMs: number): number {
  const isStored = typeof before === 'number' && before < (nowMs + dayMs) * 1_000;
  return Math.max(isStored ? before + 1 : 1, nowMs * 1_000);
}

function describeOpenGap(stream: ClaimedStream, progress: RunProgress, nowMs: number): CollectionGap[] {
  const { completedAtMs, failure } = progress;
  if (stream.state !== 'active') return [];
  const isBehind = nowMs - (completedAtMs ?? stream.createdAtMs) >= Math.max(behindMs, 3 * stream.intervalMs);
  const isLasting = stream.failureCount > 0 && lasting.has(failure?.kind ?? '');
  if (!isBehind && !isLasting) return [];
  const fromMs = Math.min(completedAtMs ?? stream.startAtMs, nowMs);
  const reason = failure === null ? 'records of this time are being collected' : `not collected: ${failure.message}`;
  return [{ from: toTime(fromMs), to: toTime(nowMs), reason }];
}

/** Failures that end only when an administrator changes something are reported when they repeat: a single 401 may be a token that ended early. */
const lasting: ReadonlySet<string> = new Set(['refused', 'unlicensed']);

/** Whether a status has to be published: what it states has changed, or the last one is old. */
export function isReportDue(stream: ClaimedStream, next: SourceStatus, nowMs: number): boolean {
  const { reported, reportedAtMs, reportedState, state } = stream;
  if (reported === null || reportedAtMs === null || reportedState !== state) return true;
  // A time in the future is of a clock that was set back since.
  return Math.abs(nowMs - reportedAtMs) >= repeatMs || summarize(reported as Partial<SourceStatus>) !== summarize(next);
}

/** Without the times that change with each status. */
function summarize({ enabled, licensed, gaps, lastCompleteImportAt }: Partial<SourceStatus>): string {
  const listed = (gaps ?? []).map(({ from, reason }) => [from, reason]);
  return JSON.stringify([enabled, licensed ?? null, typeof lastCompleteImportAt, listed]);
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
