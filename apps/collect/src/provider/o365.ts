import { createHash } from 'node:crypto';
import type { CollectionGap } from '@tenantscope/store/collect';
import { parseJsonPage } from '../http/json-page.ts';
import { readOwnPath } from '../http/next-link.ts';
import { assertSuccess, type ProviderResponse } from '../http/provider-request.ts';
import { createTokenSource, readSettings } from './microsoft-token.ts';
import type { Page, Provider, StreamInput } from './provider.ts';
import { ProviderFailure } from './provider-failure.ts';

const hourMs = 3_600_000;
/** Content can be listed for 7 days; five minutes less, for clocks and the duration of a run. */
const retentionMs = 7 * 24 * hourMs - 300_000;
/** The first run begins later than that, so that repeating it does not find that its own beginning has expired. */
const firstMs = 7 * 24 * hourMs - hourMs;
/** Of one listing; the API allows 24 hours. A window that is interrupted continues behind its last blob. */
const windowMs = hourMs;
/** Blobs are not listed in the order of their creation: what is listed late within this time is found. */
const overlapMs = 2 * hourMs;
/** Remembered blobs: more are fetched again, and their records become no rows. */
const rememberedMax = 20_000;

/** The content that a listing names. */
interface Content {
  readonly path: string;
  readonly key: string;
  readonly createdMs: number;
}

interface O365Position {
  /** Everything that was listed as created before is fetched. */
  readonly throughMs: number;
  /** Digests of the ids of fetched blobs that a later listing may name again, with the time of their creation. */
  readonly fetched: Map<string, number>;
}

/** One request function with the address and the token of the run. */
type Request = (path: string, method?: 'GET' | 'POST') => Promise<ProviderResponse>;

/**
 * A content type of the Office 365 Management Activity API. A run starts the subscription, lists the content of one hour after the other up to now, and
 * fetches each blob once. Content that has expired is a gap.
 */
export const o365: Provider = {
  completeAt: 'runStart',
  async *readPages(input) {
    const request = createRequest(input);
    let position = readPosition(input);
    const oldestMs = input.nowMs - retentionMs;
    if (position.throughMs < oldestMs) {
      const gap = describeGap(position.throughMs, oldestMs);
      position = { ...position, throughMs: oldestMs };
      yield toPage([], position, [gap]);
    }
    await startSubscription(input, request);
    while (position.throughMs < input.nowMs) {
      const endMs = Math.min(position.throughMs + windowMs, input.nowMs);
      const fromMs = Math.max(position.throughMs - overlapMs, oldestMs);
      for await (const contents of listContents(input, request, fromMs, endMs)) {
        for (const content of contents) {
          if (position.fetched.has(content.key)) continue;
          const { records, gap } = await fetchContent(input, request, content);
          position.fetched.set(content.key, content.createdMs);
          yield toPage(records, position, gap);
        }
      }
      position = { throughMs: endMs, fetched: forget(position.fetched, endMs - overlapMs) };
      yield toPage([], position, []);
    }
  },
};

function createRequest(input: StreamInput): Request {
  const getToken = createTokenSource(input, `${input.url}/.default`);
  return async (path, method = 'GET') => {
    const headers = { accept: 'application/json', authorization: `Bearer ${await getToken()}` };
    return input.send({ url: new URL(path, input.url).href, method, headers });
  };
}

function createPath({ settings, stream }: StreamInput, resource: string, parameters: Record<string, string>): string {
  const { directoryId } = readSettings(settings);
  const query = new URLSearchParams({ contentType: stream, PublisherIdentifier: directoryId, ...parameters });
  return `/api/v1.0/${directoryId}/activity/feed/subscriptions/${resource}?${query}`;
}

/** A subscription that exists is the error AF20024. */
async function startSubscription(input: StreamInput, request: Request): Promise<void> {
  const response = await request(createPath(input, 'start', {}), 'POST');
  if (response.status === 400 && readErrorCode(response) === 'AF20024') return;
  assertSuccess(response, new URL(input.url).host);
}

async function* listContents(
  input: StreamInput,
  request: Request,
  fromMs: number,
  endMs: number,
): AsyncGenerator<readonly Content[]> {
  const { host } = new URL(input.url);
  let path: string | null = createPath(input, 'content', { startTime: toApiTime(fromMs), endTime: toApiTime(endMs) });
  for (const seen = new Set<string>(); path !== null; ) {
    if (seen.has(path)) throw new ProviderFailure('invalid', `${host} repeats a page of a listing`);
    seen.add(path);
    const response: ProviderResponse = await request(path);
    assertSuccess(response, host);
    const { values } = parseJsonPage(response.body, null, host);
    yield values.map((value) => readContent(value, input.url, host));
    const next: string | null = response.headers.get('nextpageuri');
    path = next === null || next === '' ? null : readOwnPath(next, input.url);
  }
}

function readContent(value: unknown, url: string, host: string): Content {
  const { contentUri, contentId, contentCreated } = (value ?? {}) as Record<string, unknown>;
  if (typeof contentUri !== 'string' || typeof contentId !== 'string')
    throw new ProviderFailure('invalid', `${host} lists content without an address`);
  const createdMs = Date.parse(String(contentCreated));
  return {
    path: readOwnPath(contentUri, url),
    key: createHash('sha256').update(contentId).digest('base64url').slice(0, 16),
    createdMs: Number.isNaN(createdMs) ? Date.now() : createdMs,
  };
}

/** Content that expired since it was listed is a gap; any other failure repeats it. */
async function fetchContent({ url }: StreamInput, request: Request, { path, createdMs }: Content) {
  const response = await request(path);
  const { host } = new URL(url);
  if (response.status >= 400 && response.status < 500 && expired.has(readErrorCode(response) ?? ''))
    return { records: [], gap: [describeGap(createdMs, createdMs)] };
  assertSuccess(response, host);
  return { records: parseJsonPage(response.body, null, host).records, gap: [] };
}

/** AF20051: expired. AF20050: does not exist. */
const expired: ReadonlySet<string> = new Set(['AF20050', 'AF20051']);

function readErrorCode({ body }: ProviderResponse): string | null {
  try {
    const { error } = JSON.parse(body.toString('utf8')) as { error?: { code?: unknown } };
    return typeof error?.code === 'string' ? error.code : null;
  } catch {
    return null;
  }
}

function describeGap(fromMs: number, toMs: number): CollectionGap {
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString()) as [string, string];
  return { from, to, reason: 'older than the 7 days for which Microsoft retains content' };
}

function forget(fetched: O365Position['fetched'], beforeMs: number): O365Position['fetched'] {
  const recent = [...fetched].filter(([, createdMs]) => createdMs >= beforeMs);
  return new Map(recent.slice(-rememberedMax));
}

function toPage(
  records: readonly Buffer[],
  { throughMs, fetched }: O365Position,
  gaps: readonly CollectionGap[],
): Page {
  return { records, position: { throughMs, fetched: [...fetched] }, gaps };
}

function readPosition({ position, startAtMs, nowMs }: StreamInput): O365Position {
  const { throughMs, fetched } = (position ?? {}) as { throughMs?: unknown; fetched?: unknown };
  const entries = Array.isArray(fetched) ? (fetched as [string, number][]) : [];
  return {
    throughMs: typeof throughMs === 'number' ? throughMs : Math.max(startAtMs, nowMs - firstMs),
    fetched: new Map(entries),
  };
}

/** Times of this API have no zone and mean UTC. */
function toApiTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19);
}
