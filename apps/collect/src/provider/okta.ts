import { dayMs } from '@tenantscope/contract';
import type { CollectionGap } from '@tenantscope/store/collect';
import { parseJsonPage } from '../http/json-page.ts';
import { readNextLink } from '../http/next-link.ts';
import { assertSuccess, type ProviderResponse } from '../http/provider-request.ts';
import { describeGap, listFirstGaps } from './collection-gap.ts';
import { createOktaAuthorization } from './okta-authorization.ts';
import { requestPage, shrinkPage } from './page-size.ts';
import type { Page, Provider, StreamInput } from './provider.ts';
import { ProviderFailure } from './provider-failure.ts';

const pageRecordsMax = 1_000;
/** Okta retains events for 90 days; a request that begins earlier is refused. An hour less, for clocks and long runs. */
const retentionMs = 90 * dayMs - 3_600_000;
/** Where a cursor is lost, the events of this time before the newest one are requested again: clocks of Okta's servers differ. */
const overlapMs = 600_000;

interface OktaPosition {
  /** Path and query of the next page; null: by time. */
  readonly next: string | null;
  /** The time of the newest event, in epoch ms. */
  readonly newestMs: number | null;
}

/**
 * Okta's System Log, as the polling requests that its documentation describes: without `until`, in ascending order of storage. Such a page always links
 * to the next one, which later has the events that arrived since, late ones included. A link that is refused has expired: the next request is by time, and
 * what it repeats has the same ids.
 */
export const okta: Provider = {
  completeAt: 'lastRequest',
  async *readPages(input) {
    const authorize = createOktaAuthorization(input);
    let position = readPosition(input.position);
    let gaps = position.next === null ? listGaps(position, input) : [];
    const read = new Set<string>();
    for (let limit = pageRecordsMax; ; ) {
      const address = position.next ?? createPath(findStartMs(position, input), limit);
      if (read.has(address))
        throw new ProviderFailure('invalid', `${new URL(input.url).host} repeats a page of its log`);
      const response = await requestPage(limit, () => sendRequest(input, authorize, address, limit));
      if (response === 'tooLarge') {
        limit = shrinkPage(limit);
        continue;
      }
      if (response.status >= 400 && response.status < 500 && isExpired(response) && position.next !== null) {
        gaps = listGaps(position, input);
        position = { next: null, newestMs: position.newestMs };
        continue;
      }
      const page = readPage(input, response, address, position);
      read.add(address);
      // Repeated pages, of links in a circle or after each refused link, are no progress: the runs that request them become rare.
      const isProgress = page.records.length === 0 || page.position.newestMs !== position.newestMs;
      yield { ...page, gaps, isProgress };
      position = page.position;
      gaps = [];
      if (page.records.length === 0) return;
      // Each page of polling requests has one: without it, such as behind a proxy that removes `Link`, events after a full page would be requested in no run.
      if (position.next === null)
        throw new ProviderFailure('invalid', `${new URL(input.url).host} sent events without a link to the next page`);
    }
  },
};

async function sendRequest(
  input: StreamInput,
  authorize: () => Promise<string>,
  address: string,
  limit: number,
): Promise<ProviderResponse> {
  const url = new URL(address, input.url);
  url.searchParams.set('limit', String(limit));
  const headers = { accept: 'application/json', authorization: await authorize() };
  return input.send({ url: url.href, headers });
}

function readPage(
  { url }: StreamInput,
  response: ProviderResponse,
  address: string,
  { newestMs }: OktaPosition,
): Page & { readonly position: OktaPosition } {
  const { host } = new URL(url);
  assertSuccess(response, host);
  const { values, records } = parseJsonPage(response.body, null, host);
  const next = readNextLink(response.headers.get('link'), url);
  if (next !== null && next === address && records.length > 0)
    throw new ProviderFailure('invalid', `${host} links a page with events to itself`);
  return {
    records,
    times: values.map((event) => readPublishedMs(event) ?? Date.now()),
    position: { next: next ?? (records.length === 0 ? address : null), newestMs: findNewestMs(values, newestMs) },
  };
}

/** 400 and 404 for a cursor; 401, 403 and 429 are failures of their own. */
function isExpired({ status }: ProviderResponse): boolean {
  return status === 400 || status === 404 || status === 410;
}

function createPath(sinceMs: number, limit: number): string {
  return `/api/v1/logs?since=${encodeURIComponent(new Date(sinceMs).toISOString())}&sortOrder=ASCENDING&limit=${limit}`;
}

function findStartMs({ newestMs }: OktaPosition, { startAtMs, nowMs }: StreamInput): number {
  const requestedMs = newestMs === null ? startAtMs : Math.max(startAtMs, newestMs - overlapMs);
  return Math.max(requestedMs, nowMs - retentionMs);
}

/** What Okta no longer has at the first run, or at the next one by time after a long interruption. */
function listGaps({ newestMs }: OktaPosition, input: StreamInput): CollectionGap[] {
  const oldestMs = input.nowMs - retentionMs;
  const reason = 'older than the 90 days for which Okta retains events';
  const throughMs = Math.max(newestMs ?? 0, input.completedAtMs ?? 0);
  if (throughMs === 0) return listFirstGaps(input, Math.max(input.startAtMs, oldestMs), reason);
  return throughMs < oldestMs ? [describeGap(throughMs, oldestMs, reason)] : [];
}

function findNewestMs(events: readonly unknown[], beforeMs: number | null): number | null {
  let newestMs = beforeMs ?? Number.NEGATIVE_INFINITY;
  for (const event of events) {
    const published = readPublishedMs(event) ?? Number.NaN;
    // A time in the future would leave out what comes before it.
    if (published > newestMs && published <= Date.now()) newestMs = published;
  }
  return Number.isFinite(newestMs) ? newestMs : null;
}

function readPublishedMs(event: unknown): number | null {
  const ms = Date.parse(String((event as { published?: unknown } | null)?.published));
  return Number.isNaN(ms) ? null : ms;
}

function readPosition(stored: unknown): OktaPosition {
  const { next, newestMs } = (stored ?? {}) as { next?: unknown; newestMs?: unknown };
  return {
    next: typeof next === 'string' ? next : null,
    newestMs: typeof newestMs === 'number' ? newestMs : null,
  };
}
