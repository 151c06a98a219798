import type { CollectionGap } from '@tenantscope/store/collect';
import { describeGap, listFirstGaps } from '../collection-gap.ts';
import type { StreamInput } from '../provider.ts';
import { createEntryFailures, type EntryFailures } from './entry-failures.ts';
import { createPublishedKeys, type PublishedKeys } from './published-keys.ts';
import type { WindowSource } from './window-source.ts';

/** What is listed now: new records, or those of a reread. */
export interface Window {
  readonly reread: number | null;
  /** When the reread began, which may take several runs; of new records, the run. */
  readonly startedMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** The end of the present listing, which is that of the window unless listings of so long a time failed. */
  readonly partToMs: number;
  readonly next: string | null;
}

export interface Position {
  /** Everything that was listed until now with an earlier time is published. */
  readonly throughMs: number;
  /** When each reread that ended last had begun. */
  readonly rereadMs: readonly number[];
  /** Of new records; null: the next one is not begun. */
  readonly window: Window | null;
  /** A reread that was begun. Each run lists what is new first: a reread may fail in every run. */
  readonly reread: Window | null;
  /** Records of a page: fewer after one that was too large or failed, and four times as many from window to window. */
  readonly pageMax: number;
  /** The time of a listing: shorter after ones that failed, and four times as long from window to window. */
  readonly partMs: number;
  /** Runs in a row whose listing failed. */
  readonly failed: number;
  readonly keys: PublishedKeys;
  readonly failures: EntryFailures;
}

/** JSON. */
export function storePosition({ keys, failures, ...position }: Position): unknown {
  return { ...position, keys: keys.store(), failures: failures.store() };
}

/** Before the provider has responded at all, only how much is listed: the first listing that succeeds decides where the stream begins and what is lost. */
export function storeListingSize(input: StreamInput, { pageMax, partMs, failed }: Position): unknown {
  return { ...(input.position ?? {}), pageMax, partMs, failed };
}

export function readPosition(
  input: StreamInput,
  source: WindowSource,
): { position: Position; gaps: readonly CollectionGap[] } {
  const { nowMs } = input;
  const stored = (input.position ?? {}) as Partial<Record<keyof Position, unknown>>;
  const { throughMs, gaps } = findStart(stored.throughMs, input, source);
  const oldestMs = nowMs - source.retentionMs;
  const begun = [stored.window, stored.reread].flatMap((one) => (one as Window | null | undefined) ?? []);
  const valid = begun
    .filter(({ fromMs, toMs }) => fromMs >= oldestMs && toMs <= nowMs)
    .map((window) => ({ ...window, partToMs: window.partToMs ?? window.toMs }));
  const rereadMs = Array.isArray(stored.rereadMs) ? (stored.rereadMs as number[]) : [];
  const readNumber = (value: unknown, max: number) => (typeof value === 'number' ? Math.min(value, max) : max);
  const position = {
    throughMs,
    // Nothing is late at the first run: it lists the whole past.
    rereadMs: source.rereads.map((_, index) => Math.min(rereadMs[index] ?? nowMs, nowMs)),
    pageMax: readNumber(stored.pageMax, source.pageMax),
    partMs: readNumber(stored.partMs, source.windowMs + source.overlapMs),
    failed: typeof stored.failed === 'number' ? stored.failed : 0,
    window: valid.find(({ reread }) => reread === null) ?? null,
    reread: valid.find(({ reread }) => reread !== null) ?? null,
    keys: createPublishedKeys(stored.keys),
    failures: createEntryFailures(stored.failures),
  };
  return { position, gaps };
}

/** Where the run begins, and what can no longer be listed before. */
function findStart(
  throughMs: unknown,
  input: StreamInput,
  { firstMs, retentionMs, retentionReason, overlapMs, rereads }: WindowSource,
): { throughMs: number; gaps: readonly CollectionGap[] } {
  const { startAtMs, nowMs } = input;
  if (typeof throughMs !== 'number') {
    const fromMs = Math.max(startAtMs, nowMs - firstMs);
    return { throughMs: fromMs, gaps: listFirstGaps(input, fromMs, retentionReason) };
  }
  // A clock was set back: when the last run was is unknown, and so is what it has not listed.
  if (throughMs > nowMs) {
    const backMs = Math.max(overlapMs, ...rereads.map((reread) => reread.backMs));
    return { throughMs: Math.max(startAtMs, nowMs - backMs), gaps: [] };
  }
  const oldestMs = nowMs - retentionMs;
  if (throughMs >= oldestMs) return { throughMs, gaps: [] };
  return { throughMs: oldestMs, gaps: [describeGap(throughMs, oldestMs, retentionReason)] };
}
