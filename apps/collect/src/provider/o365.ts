import { dayMs, hourMs } from '@tenantscope/contract';
import { readErrorCode } from '../http/error-text.ts';
import { parseJsonPage } from '../http/json-page.ts';
import { readOwnPath } from '../http/next-link.ts';
import { assertSuccess, type ProviderResponse } from '../http/provider-request.ts';
import { describeGap } from './collection-gap.ts';
import { createMicrosoftRequest, type MicrosoftRequest, readMicrosoftSettings } from './microsoft/microsoft-request.ts';
import { type Provider, type StreamInput, withProviderClock } from './provider.ts';
import { ProviderFailure } from './provider-failure.ts';
import { readWindows } from './window/time-windows.ts';
import type { Entry, Listing, Loaded, WindowSource } from './window/window-source.ts';

const retentionReason = 'older than the 7 days for which Microsoft retains content';
const stoppedReason = 'the subscription was stopped: Microsoft lists no content of the time until its new start';

/**
 * Microsoft promises no order of content and no time within which it is listed: usually 60 to 90 minutes after an event of Exchange, SharePoint and Teams, longer
 * for other services, up to 12 hours after the start of a subscription. So all content that can still be listed is listed again once a day.
 */
const times = {
  /** With the overlap, the 24 hours that the API allows. */
  windowMs: 22 * hourMs,
  partMinMs: 300_000,
  overlapMs: 2 * hourMs,
  rereads: [
    { everyMs: hourMs, backMs: dayMs },
    { everyMs: dayMs, backMs: 7 * dayMs },
  ],
  /** Content can be listed for 7 days; five minutes less, for clocks and the duration of a run. */
  retentionMs: 7 * dayMs - 300_000,
  retentionReason,
  /** The first run begins later than that, so that repeating it does not find that its own beginning has expired. */
  firstMs: 7 * dayMs - hourMs,
  pageMax: 1,
} as const;

/**
 * A content type of the Office 365 Management Activity API. A run starts the subscription, lists the content of one window after the other up to now, and
 * fetches each blob once. Content that has expired, is too large or cannot be fetched in many runs is a gap.
 */
export const o365: Provider = {
  completeAt: 'runStart',
  async *readPages(input) {
    const request = await createMicrosoftRequest(input);
    const { position, completedAtMs, nowMs } = input;
    if ((await startSubscription(input, request)) && completedAtMs !== null && completedAtMs < nowMs)
      yield { records: [], position, gaps: [describeGap(completedAtMs, nowMs, stoppedReason)], isProgress: false };
    const source: WindowSource = {
      ...times,
      list: (fromMs, toMs, next) =>
        listContents(input, request, next ?? createListingPath(input, fromMs, toMs), next !== null),
    };
    yield* readWindows(withProviderClock(input), source);
  },
};

function createPath({ settings, stream }: StreamInput, resource: string, parameters: Record<string, string>): string {
  const { directoryId } = readMicrosoftSettings(settings);
  const query = new URLSearchParams({ contentType: stream, PublisherIdentifier: directoryId, ...parameters });
  return `/api/v1.0/${directoryId}/activity/feed/subscriptions/${resource}?${query}`;
}

function createListingPath(input: StreamInput, fromMs: number, toMs: number): string {
  return createPath(input, 'content', { startTime: toApiTime(fromMs), endTime: toApiTime(toMs) });
}

/** Whether there was none, or it was stopped. A subscription that exists is the error AF20024. */
async function startSubscription(input: StreamInput, request: MicrosoftRequest): Promise<boolean> {
  const response = await request(createPath(input, 'start', {}), 'POST');
  if (response.status === 400 && readErrorCode(response.body) === 'AF20024') return false;
  assertFeedSuccess(response, new URL(input.url).host);
  return true;
}

/** A next page that is no longer valid is a 400 (AF20031). */
async function listContents(
  input: StreamInput,
  request: MicrosoftRequest,
  path: string,
  isNext: boolean,
): Promise<Listing | 'expired'> {
  const { host } = new URL(input.url);
  const response = await request(path);
  if (isNext && response.status === 400) return 'expired';
  assertFeedSuccess(response, host);
  const { values } = parseJsonPage(response.body, null, host);
  const next = response.headers.get('nextpageuri');
  return {
    entries: values.map((value) => readContent(value, input.url, host, request)),
    next: next === null || next === '' ? null : readOwnPath(next, input.url),
  };
}

function readContent(value: unknown, url: string, host: string, request: MicrosoftRequest): Entry {
  const { contentUri, contentId, contentCreated } = (value ?? {}) as Record<string, unknown>;
  if (typeof contentUri !== 'string' || typeof contentId !== 'string')
    throw new ProviderFailure('invalid', `${host} lists content without an address`);
  const path = readOwnPath(contentUri, url);
  const parsedMs = Date.parse(String(contentCreated));
  const timeMs = Number.isNaN(parsedMs) ? Date.now() : parsedMs;
  return { id: contentId, timeMs, load: () => fetchContent(host, request, path, timeMs) };
}

/** Content that expired since it was listed, or is longer than the limit, is a gap; any other failure repeats it. */
async function fetchContent(host: string, request: MicrosoftRequest, path: string, createdMs: number): Promise<Loaded> {
  const lose = (reason: string): Loaded => ({ records: [], gaps: [describeGap(createdMs, createdMs, reason)] });
  try {
    const response = await request(path);
    if (response.status >= 400 && response.status < 500 && expired.has(readErrorCode(response.body) ?? ''))
      return lose(retentionReason);
    assertFeedSuccess(response, host);
    return { records: parseJsonPage(response.body, null, host).records, gaps: [] };
  } catch (error) {
    if (error instanceof ProviderFailure && error.kind === 'tooLarge') return lose(error.message);
    throw error;
  }
}

/** Requests above the rate limit are refused with 403 too. */
function assertFeedSuccess(response: ProviderResponse, host: string): void {
  const isLimited = response.status === 403 && readErrorCode(response.body) === 'AF429';
  assertSuccess(isLimited ? { ...response, status: 429 } : response, host);
}

/** AF20051: expired. AF20050: does not exist. */
const expired: ReadonlySet<string> = new Set(['AF20050', 'AF20051']);

/** Times of this API have no zone and mean UTC. */
function toApiTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19);
}
