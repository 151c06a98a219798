import { requestPage } from '../page-size.ts';
import type { Page, StreamInput } from '../provider.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { type LoadedBatch, loadBatches } from './batches.ts';
import { createLinkGuard } from './link-guard.ts';
import { countFailure, growListings, shrinkPages, shrinkPart, storeWindow } from './listing-size.ts';
import { type Position, readPosition, storeListingSize, storePosition, type Window } from './window-position.ts';
import type { Listing, WindowSource } from './window-source.ts';

/** Lists one window after the other up to the start of the run, then what is due to be listed again. Each entry is published once while it is remembered. */
export async function* readWindows(input: StreamInput, source: WindowSource): AsyncGenerator<Page> {
  let { position, gaps } = readPosition(input, source);
  let hasStarted = typeof (input.position as Partial<Position> | null)?.throughMs === 'number' && gaps.length === 0;
  const guard = createLinkGuard(input.url);
  for (;;) {
    const window = position.window ?? chooseWindow(position, input, source);
    if (window === null) return;
    guard.check(window, position.pageMax);
    const listing = await listWindow(window, position, source);
    if (listing instanceof ProviderFailure) {
      position = countFailure(position, window, source);
      const stored = hasStarted ? storePosition(position) : storeListingSize(input, position);
      yield { records: [], position: stored, isProgress: false };
      throw listing;
    }
    if (listing === 'tooLarge') {
      position = shrinkPages(position, window);
      continue;
    }
    if (listing === 'expired') {
      guard.checkExpired(window);
      position = shrinkPart(position, window, source);
      continue;
    }
    // Once the provider responds: while it does not, each run would have a longer gap.
    if (gaps.length > 0) yield toPage({ ...empty, gaps }, storeWindow(position, window), false);
    gaps = [];
    hasStarted = true;
    position = { ...position, failed: 0 };
    const isProgress = !isRoutine(position, window, input, source);
    try {
      for await (const batch of loadBatches(listing.entries, position))
        yield toPage(batch, storeWindow(position, window), isProgress);
      if (listing.missing) throw new ProviderFailure('unavailable', `${new URL(input.url).host}: ${listing.missing}`);
    } catch (error) {
      // Of the failure, which the next run counts from.
      yield toPage({ ...empty, gaps: [] }, storeWindow(position, window), false);
      throw error;
    }
    position =
      listing.next === null
        ? closePart(position, window, source)
        : storeWindow(position, { ...window, next: listing.next });
    yield toPage({ ...empty, gaps: [] }, position, isProgress);
  }
}

/** A page of the present part of a window. Returns the failure of a provider that is not available; throws any other. */
async function listWindow(
  { fromMs, partToMs, next }: Window,
  { pageMax }: Position,
  source: WindowSource,
): Promise<Listing | 'expired' | 'tooLarge' | ProviderFailure> {
  try {
    return await requestPage(pageMax, () => source.list(fromMs, partToMs, next, pageMax));
  } catch (error) {
    if (error instanceof ProviderFailure && error.kind === 'unavailable') return error;
    throw error;
  }
}

function chooseWindow(
  { throughMs, rereadMs, reread, partMs }: Position,
  { nowMs, startAtMs }: StreamInput,
  { windowMs, overlapMs, rereads, retentionMs }: WindowSource,
): Window | null {
  const create = (of: number | null, fromMs: number, toMs: number): Window => {
    return { reread: of, startedMs: nowMs, fromMs, toMs, partToMs: Math.min(toMs, fromMs + partMs), next: null };
  };
  const oldestMs = Math.max(startAtMs, nowMs - retentionMs);
  if (throughMs < nowMs)
    return create(null, Math.max(throughMs - overlapMs, oldestMs), Math.min(throughMs + windowMs, nowMs));
  if (reread !== null) return reread;
  const due = findDueReread(rereadMs, nowMs, rereads);
  if (due === -1) return null;
  const fromMs = Math.max(nowMs - (rereads[due]?.backMs ?? 0), oldestMs);
  return create(due, fromMs, Math.min(fromMs + windowMs, throughMs));
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

function closePart(position: Position, window: Window, source: WindowSource): Position {
  const { partToMs, toMs } = window;
  if (partToMs >= toMs) return closeWindow(position, window, source);
  const next = { ...window, fromMs: partToMs, partToMs: Math.min(toMs, partToMs + position.partMs), next: null };
  return storeWindow(position, next);
}

function closeWindow(before: Position, window: Window, source: WindowSource): Position {
  const position = growListings(before, source);
  const { reread, toMs } = window;
  const { keys, failures, rereadMs, partMs } = position;
  if (reread === null) {
    const { windowMs, overlapMs, rereads } = source;
    const beforeMs = toMs - Math.max(overlapMs, ...rereads.map(({ backMs }) => backMs)) - windowMs;
    keys.forget(beforeMs);
    failures.forget(beforeMs);
    return { ...position, throughMs: toMs, window: null };
  }
  if (toMs < position.throughMs) {
    const nextMs = Math.min(toMs + source.windowMs, position.throughMs);
    const partToMs = Math.min(nextMs, toMs + partMs);
    return { ...position, reread: { ...window, fromMs: toMs, toMs: nextMs, partToMs, next: null } };
  }
  return {
    ...position,
    rereadMs: rereadMs.map((ms, index) => (index <= reread ? window.startedMs : ms)),
    reread: null,
  };
}

const empty = { records: [], times: [] };

function toPage({ records, times, gaps }: LoadedBatch, position: Position, isProgress: boolean): Page {
  return { records, times, gaps, position: storePosition(position), isProgress };
}
