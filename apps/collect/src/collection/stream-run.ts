import {
  advanceStream,
  type ClaimedStream,
  type CollectionGap,
  finishRun,
  readTopicPrefix,
  recordReport,
  renewLease,
} from '@tenantscope/store/collect';
import { isUnavailable, type Pool } from '@tenantscope/store/connection';
import { createRequestSender, type RequestLimits } from '../http/provider-request.ts';
import type { Page, Provider } from '../provider/provider.ts';
import { ProviderFailure } from '../provider/provider-failure.ts';
import { LeaseLost, maintainLease } from './lease.ts';
import type { RecordPublisher } from './record-publisher.ts';
import { limitGaps } from './recorded-gaps.ts';
import { computeRetryDelay } from './retry-delay.ts';
import { createRunShare, ShareUsed } from './run-share.ts';
import { readSecretFile } from './secret-file.ts';
import { describeStatus, isReportDue, type RunProgress } from './source-status.ts';

export interface RunDependencies {
  readonly control: Pool;
  readonly publisher: RecordPublisher;
  readonly providers: Readonly<Record<string, Provider>>;
  readonly limits: RequestLimits;
  readonly leaseMs: number;
}

/** How a run ended. */
export type RunOutcome =
  | { readonly kind: 'completed' }
  /** The process stops, or the share of the stream is used up. */
  | { readonly kind: 'interrupted' }
  /** The collector is paused or removed. */
  | { readonly kind: 'inactive' }
  /** Another process has the stream. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly failure: ProviderFailure };

export interface RunSummary {
  readonly outcome: RunOutcome;
  readonly records: number;
  /** Times that this run found to be missing at the provider, and records that were too long. */
  readonly gaps: number;
  /** Until the next run. */
  readonly dueInMs: number;
}

/** Mutable: what a run has reached. */
interface Reached {
  completedAtMs: number | null;
  gaps: readonly CollectionGap[];
  gapCount: number;
  records: number;
}

/** Collects one stream as far as possible and reports its status. Throws only if the database is unavailable; the lease then expires. */
export async function runStream(
  claimed: ClaimedStream,
  dependencies: RunDependencies,
  stopping: AbortSignal,
): Promise<RunSummary> {
  using lease = maintainLease(dependencies.control, claimed.leaseId, dependencies.leaseMs);
  const signal = AbortSignal.any([stopping, lease.signal]);
  const reached: Reached = { completedAtMs: claimed.completedAtMs, gaps: claimed.gaps, gapCount: 0, records: 0 };
  const stream = await reportStatus(claimed, { ...reached, failure: claimed.failure }, dependencies);
  const outcome = await collectActive(stream, reached, dependencies, signal);
  const dueInMs = computeDueTime(outcome, claimed);
  const summary = { outcome, records: reached.records, gaps: reached.gapCount, dueInMs };
  if (stream === null || outcome.kind === 'lost') return summary;
  const failure = outcome.kind === 'failed' ? { kind: outcome.failure.kind, message: outcome.failure.message } : null;
  if (outcome.kind !== 'interrupted' && (await reportStatus(stream, { ...reached, failure }, dependencies)) === null)
    return { ...summary, outcome: lost };
  const completedAtMs = outcome.kind === 'completed' ? reached.completedAtMs : null;
  await finishRun(dependencies.control, stream.leaseId, { dueInMs, completedAtMs, failure });
  return summary;
}

const inactive: RunOutcome = { kind: 'inactive' };
const lost: RunOutcome = { kind: 'lost' };

async function collectActive(
  stream: ClaimedStream | null,
  ...others: [Reached, RunDependencies, AbortSignal]
): Promise<RunOutcome> {
  if (stream === null) return lost;
  return stream.state === 'active' ? tryCollecting(stream, ...others) : inactive;
}

async function tryCollecting(
  stream: ClaimedStream,
  reached: Reached,
  dependencies: RunDependencies,
  signal: AbortSignal,
): Promise<RunOutcome> {
  try {
    return await collectPages(stream, reached, dependencies, signal);
  } catch (error) {
    if (error instanceof LeaseLost || signal.reason instanceof LeaseLost) return lost;
    if (signal.aborted || error instanceof ShareUsed) return { kind: 'interrupted' };
    if (error instanceof ProviderFailure) return { kind: 'failed', failure: error };
    if (isUnavailable(error)) throw error;
    // A fault of this program: not described, since its text may contain anything.
    const { name } = error as Error;
    return {
      kind: 'failed',
      failure: new ProviderFailure('invalid', `unexpected error ${name} of ${stream.provider}`),
    };
  }
}

/** Page by page: the position moves behind a page when Kafka has acknowledged all of its records. */
async function collectPages(
  stream: ClaimedStream,
  reached: Reached,
  dependencies: RunDependencies,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const { control, providers, limits } = dependencies;
  const provider = providers[stream.provider];
  if (provider === undefined) throw new ProviderFailure('refused', `there is no provider ${stream.provider}`);
  const startedAtMs = Date.now();
  const { send, lastSentAtMs, clockAheadMs } = createRequestSender(limits, signal);
  const share = createRunShare(send, startedAtMs);
  const secret = await readSecretFile(stream.secretFile);
  const pages = provider.readPages({ ...stream, secret, nowMs: startedAtMs, send: share.send, clockAheadMs });
  for await (const page of pages) {
    const { records, position, gaps = [], isProgress = true } = page;
    if (signal.reason instanceof LeaseLost) throw signal.reason;
    // Of the request, not of now: the page of a process that was suspended is older than what another has published since. By the provider's clock, which processes of several hosts share.
    const sentAtMs = lastSentAtMs() + clockAheadMs();
    const tooLong = await publishPage(stream, page, sentAtMs, dependencies);
    reached.gaps = limitGaps([...reached.gaps, ...gaps, ...tooLong]);
    reached.gapCount += gaps.length + tooLong.length;
    const progress = { position, records: records.length - tooLong.length, gaps: reached.gaps, isProgress };
    if (!(await advanceStream(control, stream.leaseId, progress))) throw new LeaseLost('the lease ended');
    reached.records += progress.records;
    signal.throwIfAborted();
    if (isProgress || records.length > 0) share.recordProgress();
  }
  reached.completedAtMs = provider.completeAt === 'runStart' ? startedAtMs : lastSentAtMs();
  return { kind: 'completed' };
}

/** Publishes a page to the topics of the tenant's cell. A tenant may move during a run: the page is published again where it is in another cell since. */
async function publishPage(
  stream: ClaimedStream,
  page: Page,
  sentAtMs: number,
  { control, publisher }: RunDependencies,
): Promise<readonly CollectionGap[]> {
  if (page.records.length === 0) return [];
  for (let topicPrefix = await readTopicPrefix(control, stream.tenantId); ; ) {
    const tooLong = await publisher.publish({ ...stream, topicPrefix }, page, sentAtMs);
    const present = await readTopicPrefix(control, stream.tenantId);
    if (present === topicPrefix) return tooLong;
    topicPrefix = present;
  }
}

/**
 * Publishes the status if it is due. A failure of Kafka delays it to the next run. Returns the stream with what is reported of it; null where its lease has ended. The
 * lease is renewed after the time of the status was taken: the status of a process that is suspended later is older than that of another one.
 */
async function reportStatus(
  stream: ClaimedStream,
  progress: RunProgress,
  { control, publisher, leaseMs }: RunDependencies,
): Promise<ClaimedStream | null> {
  const nowMs = Date.now();
  const status = describeStatus(stream, progress, nowMs);
  if (!isReportDue(stream, status, nowMs)) return stream;
  if (!(await renewLease(control, stream.leaseId, leaseMs))) return null;
  const topicPrefix = await readTopicPrefix(control, stream.tenantId);
  const isPublished = await publisher.publishStatus({ topicPrefix }, status).then(
    () => true,
    () => false,
  );
  if (!isPublished) return stream;
  await recordReport(control, stream.leaseId, { status, atMs: nowMs, state: stream.state });
  return { ...stream, reported: { ...status }, reportedAtMs: nowMs, reportedState: stream.state };
}

/** Intervals differ by up to a tenth, so that streams that began together do not always run together. */
function computeDueTime(outcome: RunOutcome, { intervalMs, failureCount }: ClaimedStream): number {
  if (outcome.kind === 'completed') return Math.round(intervalMs * (0.9 + Math.random() / 10));
  return outcome.kind === 'failed' ? computeRetryDelay(outcome.failure, failureCount) : 0;
}
