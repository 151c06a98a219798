import type { CollectionGap } from '@tenantscope/store/collect';
import { describeGap, listFirstGaps } from '../collection-gap.ts';
import { requestPage, shrinkPage } from '../page-size.ts';
import type { Page, StreamInput } from '../provider.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { type LoadedBatch, loadBatches } from './batches.ts';
import { createEntryFailures, type EntryFailures } from './entry-failures.ts';
import { createPublishedKeys, type PublishedKeys } from './published-keys.ts';
import type { WindowSource } from './window-source.ts';

/** What is listed now: new records, or those of a reread. */
interface Window {
  readonly reread: number | null;
  /** When the reread began, which may take several runs; of new records, the run. */
  readonly startedMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly next: string | null;
}

interface Position {
  /** Everything that was listed until now with an earlier time is published. */
  readonly throughMs: number;
  /** When each reread that ended last had begun. */
  readonly rereadMs: readonly number[];
  /** Of new records; null: the next one is not begun. */
  readonly window: Window | null;
  /** A reread that was begun. Each run lists what is new first: a reread may fail in every run. */
  readonly reread: Window | null;
  /** Records of a page: fewer after one that was too large, and four times as many from window to window. */
  readonly pageMax: number;
  readonly keys: PublishedKeys;
  readonly failures: EntryFailures;
}

/** Lists one window after the other up to the start of the run, then what is due to be listed again. Each entry is published once while it is remembered. */
export async function* readWindows(input: StreamInput, source: WindowSource): AsyncGenerator<Page> {
  let { position, gaps } = readPosition(input, source);
  const guard = createLinkGuard(input.url);
  for (;;) {
    const window = position.window ?? chooseWindow(position, input, source);
    if (window === null) return;
    const { pageMax } = position;
    guard.check(window, pageMax);
    const listing = await requestPage(pageMax, () => source.list(window.fromMs, window.toMs, window.next, pageMax));
    if (listing === 'tooLarge') {
      // The link has the size of its page: the window is listed from its beginning.
      position = { ...storeWindow(position, { ...window, next: null }), pageMax: shrinkPage(pageMax) };
      continue;
    }
    if (listing === 'expired') {
      guard.checkExpired(window);
      position = storeWindow(position, { ...window, next: null });
      continue;
    }
    // Once the provider responds: while it does not, each run would have a longer gap.
    if (gaps.length > 0) yield toPage({ ...empty, gaps }, storeWindow(position, window), false);
    gaps = [];
    const isProgress = !isRoutine(position, window, input, source);
    try {
      for await (const batch of loadBatches(listing.entries, position))
        yield toPage(batch, storeWindow(position, window), isProgress);
      if (listing.missing) throw new ProviderFailure('unavailable', `${guard.host}: ${listing.missing}`);
    } catch (error) {
      // Of the failure, which the next run counts from.
      yield toPage({ ...empty, gaps: [] }, storeWindow(position, window), false);
      throw error;
    }
    position =
      listing.next === null
        ? closeWindow(position, window, source)
        : storeWindow(position, { ...window, next: listing.next });
    yield toPage({ ...empty, gaps: [] }, position, isProgress);
  }
}

function storeWindow(position: Position, window: Window): Position {
  return window.reread === null ? { ...position, window } : { ...position, reread: window };
}

function chooseWindow(
  { throughMs, rereadMs, reread }: Position,
  { nowMs, startAtMs }: StreamInput,
  { windowMs, overlapMs, rereads, retentionMs }: WindowSource,
): Window | null {
  const oldestMs = Math.max(startAtMs, nowMs - retentionMs);
  if (throughMs < nowMs) {
    const fromMs = Math.max(throughMs - overlapMs, oldestMs);
    return { reread: null, startedMs: nowMs, fromMs, toMs: Math.min(throughMs + windowMs, nowMs), next: null };
  }
  if (reread !== null) return reread;
  const due = findDueReread(rereadMs, nowMs, rereads);
  if (due === -1) return null;
  const fromMs = Math.max(nowMs - (rereads[due]?.backMs ?? 0), oldestMs);
  return { reread: due, startedMs: nowMs, fromMs, toMs: Math.min(fromMs + windowMs, throughMs), next: null };
}

/** The longest of those that are due, which contains the others; -1: none is. */
function findDueReread(rereadMs: Position['rereadMs'], nowMs: number, rereads: WindowSource['rereads']): number {
  return rereads.findLastIndex(({ everyMs }, index) => nowMs - (rereadMs[index] ?? 0) >= everyMs);
}

/** Whether a window is listed by each run before a reread that may fail each time: the one up to now, while a reread is due or begun. */
function isRoutine(
  { rereadMs, reread: begun }: Position,
  { reread, toMs, startedMs }: Window,
  { nowMs }: StreamInput,
  { rereads }: WindowSource,
): boolean {
  const isRereading = begun !== null || findDueReread(rereadMs, nowMs, rereads) !== -1;
  return reread === null && toMs >= startedMs && isRereading;
}

function closeWindow(before: Position, window: Window, source: WindowSource): Position {
  const position = { ...before, pageMax: Math.min(source.pageMax, before.pageMax * 4) };
  const { reread, toMs } = window;
  const { keys, failures, rereadMs } = position;
  if (reread === null) {
    const { windowMs, overlapMs, rereads } = source;
    const beforeMs = toMs - Math.max(overlapMs, ...rereads.map(({ backMs }) => backMs)) - windowMs;
    keys.forget(beforeMs);
    failures.forget(beforeMs);
    return { ...position, throughMs: toMs, window: null };
  }
  if (toMs < position.throughMs) {
    const nextMs = Math.min(toMs + source.windowMs, position.throughMs);
    return { ...position, reread: { ...window, fromMs: toMs, toMs: nextMs, next: null } };
  }
  return {
    ...position,
    rereadMs: rereadMs.map((ms, index) => (index <= reread ? window.startedMs : ms)),
    reread: null,
  };
}

/** Ends a run whose pages lead nowhere: one that was read before, or a link that expires whenever it is followed. */
function createLinkGuard(url: string) {
  const { host } = new URL(url);
  const read = new Set<string>();
  let expired = 0;
  return {
    host,
    check({ next, fromMs, toMs }: Window, pageMax: number): void {
      if (next === null) return;
      const page = `${fromMs} ${toMs} ${pageMax} ${next}`;
      if (read.has(page)) throw new ProviderFailure('invalid', `${host} repeats a page of a listing`);
      read.add(page);
    },
    checkExpired({ next }: Window): void {
      expired += 1;
      if (next === null || expired > 3) throw new ProviderFailure('invalid', `${host} refuses its own next page`);
      read.clear();
    },
  };
}

const empty = { records: [], times: [] };

function toPage(
  { records, times, gaps }: LoadedBatch,
  { keys, failures, ...position }: Position,
  isProgress: boolean,
): Page {
  return {
    records,
    times,
    gaps,
    position: { ...position, keys: keys.store(), failures: failures.store() },
    isProgress,
  };
}

function readPosition(
  input: StreamInput,
  source: WindowSource,
): { position: Position; gaps: readonly CollectionGap[] } {
  const { nowMs } = input;
  const stored = (input.position ?? {}) as Partial<Record<keyof Position, unknown>>;
  const { throughMs, gaps } = findStart(stored.throughMs, input, source);
  const oldestMs = nowMs - source.retentionMs;
  const begun = [stored.window, stored.reread].flatMap((one) => (one as Window | null | undefined) ?? []);
  const valid = begun.filter(({ fromMs, toMs }) => fromMs >= oldestMs && toMs <= nowMs);
  const rereadMs = Array.isArray(stored.rereadMs) ? (stored.rereadMs as number[]) : [];
  const position = {
    throughMs,
    // Nothing is late at the first run: it lists the whole past.
    rereadMs: source.rereads.map((_, index) => Math.min(rereadMs[index] ?? nowMs, nowMs)),
    pageMax: typeof stored.pageMax === 'number' ? Math.min(stored.pageMax, source.pageMax) : source.pageMax,
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
