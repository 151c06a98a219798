import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMicrosoftLogin, type MicrosoftLogin } from './microsoft-login.ts';
import { createRequestLimiter, type RateLimit, type RequestLimiter } from './request-limiter.ts';

/** A blob of content. It is listed from `listedAtMs` on, under the time of its creation, which may be earlier. */
interface Blob {
  readonly contentType: string;
  readonly contentId: string;
  readonly createdMs: number;
  readonly listedAtMs: number;
  readonly body: string;
  isExpired: boolean;
  isUnavailable: boolean;
}

/** What happens to one request of the feed instead of its response. */
export type FeedFault = 'unavailable' | 'throttled' | 'truncated' | 'tokenExpired';

export interface O365Server extends AsyncDisposable {
  /** Of the feed and of the token endpoint. */
  readonly url: string;
  readonly login: MicrosoftLogin;
  /** Adds a blob; returns its id. */
  addBlob(contentType: string, records: readonly object[], createdMs: number, listedInMs?: number): string;
  /** The blob is listed, and its content is refused as expired. */
  expire(contentId: string): void;
  /** The blob is listed, and each request for its content fails with 500. */
  breakContent(contentId: string): void;
  fail(next: readonly (FeedFault | null)[]): void;
  pendingFaults(): number;
  /** How often each blob was fetched. */
  fetchCounts(): ReadonlyMap<string, number>;
  subscriptions(): readonly string[];
  /** Requests that came before the time of Retry-After. */
  earlyRequestCount(): number;
  throttledCount(): number;
}

export interface O365ServerOptions {
  /** Of a page of a listing. */
  readonly pageMax?: number;
  readonly latencyMs?: number;
  readonly rateLimit?: RateLimit;
}

const dayMs = 86_400_000;
const types = ['Audit.AzureActiveDirectory', 'Audit.Exchange', 'Audit.SharePoint', 'Audit.General', 'DLP.All'];

/**
 * The Office 365 Management Activity API and the token endpoint of the Microsoft identity platform by their documentation: subscriptions, listings of at most
 * 24 hours within 7 days, pages by `NextPageUri`, content, its errors, and throttling with `Retry-After`.
 */
export async function startO365Server(options: O365ServerOptions = {}): Promise<O365Server> {
  const server = createServer();
  const login = createMicrosoftLogin();
  const state: ServerState = {
    url: '',
    login,
    subscriptions: new Set(),
    blobs: [],
    faults: [],
    fetched: new Map(),
    limiter: createRequestLimiter(options.rateLimit ?? { requests: 1e9, windowMs: 1_000 }),
    pageMax: options.pageMax ?? 100,
    latencyMs: options.latencyMs ?? 0,
  };
  server.on('request', (request, response) => {
    respond(request, response, state).catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: state.url,
    login,
    addBlob(contentType, records, createdMs, listedInMs = 0) {
      const contentId = `${new Date(createdMs).toISOString()}$${randomUUID()}$${contentType}`;
      const body = JSON.stringify(records);
      state.blobs.push({
        contentType,
        contentId,
        createdMs,
        listedAtMs: Date.now() + listedInMs,
        body,
        isExpired: false,
        isUnavailable: false,
      });
      return contentId;
    },
    expire(contentId) {
      for (const blob of state.blobs) if (blob.contentId === contentId) blob.isExpired = true;
    },
    breakContent(contentId) {
      for (const blob of state.blobs) if (blob.contentId === contentId) blob.isUnavailable = true;
    },
    fail: (next) => void state.faults.push(...next),
    pendingFaults: () => state.faults.length,
    fetchCounts: () => state.fetched,
    subscriptions: () => [...state.subscriptions].toSorted(),
    earlyRequestCount: () => state.limiter.earlyCount(),
    throttledCount: () => state.limiter.refusedCount(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface ServerState {
  url: string;
  readonly login: MicrosoftLogin;
  readonly subscriptions: Set<string>;
  readonly blobs: Blob[];
  readonly faults: (FeedFault | null)[];
  readonly fetched: Map<string, number>;
  readonly limiter: RequestLimiter;
  readonly pageMax: number;
  readonly latencyMs: number;
}

async function respond(request: IncomingMessage, response: ServerResponse, state: ServerState): Promise<void> {
  const url = new URL(request.url ?? '', state.url);
  response.setHeader('content-type', 'application/json; charset=utf-8');
  const body = await text(request);
  if (state.latencyMs > 0) await sleep(state.latencyMs);
  if (url.pathname === state.login.path) {
    state.login.sendToken(response, body, `${state.url}/.default`, state.url);
    return;
  }
  const feed = `/api/v1.0/${state.login.directoryId}/activity/feed`;
  if (!url.pathname.startsWith(feed)) {
    sendError(response, 404, 'AF20001', 'The resource does not exist.');
    return;
  }
  if (!state.login.isAuthorized(request.headers.authorization)) {
    sendError(response, 401, 'AF10001', 'The permission set in the token is expired or missing.');
    return;
  }
  const retryAfterSeconds = state.limiter.consume();
  if (retryAfterSeconds !== null) {
    sendThrottled(response, retryAfterSeconds);
    return;
  }
  const fault = state.faults.shift() ?? null;
  if (fault !== null) {
    sendFault(response, fault, state);
    return;
  }
  const resource = url.pathname.slice(feed.length);
  if (resource.startsWith('/audit/')) {
    sendContent(response, decodeURIComponent(resource.slice(7)), state);
    return;
  }
  const contentType = url.searchParams.get('contentType') ?? '';
  if (!types.includes(contentType)) {
    sendError(response, 400, 'AF20020', 'The specified content type is not valid.');
    return;
  }
  if (resource === '/subscriptions/start' && request.method === 'POST') {
    startSubscription(response, contentType, state);
    return;
  }
  if (resource === '/subscriptions/content') {
    sendListing(response, url, contentType, state);
    return;
  }
  sendError(response, 404, 'AF20001', 'The resource does not exist.');
}

function startSubscription(response: ServerResponse, contentType: string, { subscriptions }: ServerState): void {
  if (subscriptions.has(contentType)) {
    sendError(response, 400, 'AF20024', 'The subscription is already enabled. No property change.');
    return;
  }
  subscriptions.add(contentType);
  response.end(JSON.stringify({ contentType, status: 'enabled', webhook: null }));
}

function sendListing(response: ServerResponse, url: URL, contentType: string, state: ServerState): void {
  const { subscriptions, blobs, pageMax } = state;
  if (!subscriptions.has(contentType)) {
    sendError(response, 400, 'AF20022', 'No subscription found for the specified content type.');
    return;
  }
  const [startMs, endMs] = ['startTime', 'endTime'].map((name) => Date.parse(`${url.searchParams.get(name)}Z`)) as [
    number,
    number,
  ];
  if (!(startMs <= endMs && endMs - startMs <= dayMs && startMs > Date.now() - 7 * dayMs)) {
    sendError(
      response,
      400,
      'AF20030',
      'Start time and end time must both be specified and must be less than or equal to 24 hours apart.',
    );
    return;
  }
  const from = Number(url.searchParams.get('nextPage') ?? 0);
  // Not in the order of creation.
  const listed = blobs.filter(
    (blob) =>
      blob.contentType === contentType &&
      blob.createdMs >= startMs &&
      blob.createdMs < endMs &&
      blob.listedAtMs <= Date.now(),
  );
  if (from + pageMax < listed.length) {
    const next = new URL(url);
    next.searchParams.set('nextPage', String(from + pageMax));
    response.setHeader('NextPageUri', next.href);
  }
  const contents = listed.slice(from, from + pageMax).map(({ contentId, createdMs }) => ({
    contentType,
    contentId,
    contentUri: `${state.url}/api/v1.0/${state.login.directoryId}/activity/feed/audit/${encodeURIComponent(contentId)}`,
    contentCreated: new Date(createdMs).toISOString(),
    contentExpiration: new Date(createdMs + 7 * dayMs).toISOString(),
  }));
  response.end(JSON.stringify(contents));
}

function sendContent(response: ServerResponse, contentId: string, state: ServerState): void {
  const { blobs, fetched } = state;
  const blob = blobs.find((one) => one.contentId === contentId);
  if (blob === undefined) {
    sendError(response, 404, 'AF20050', 'The specified content does not exist.');
    return;
  }
  if (blob.isExpired) {
    sendError(response, 400, 'AF20051', 'Content requested has already expired.');
    return;
  }
  fetched.set(contentId, (fetched.get(contentId) ?? 0) + 1);
  if (blob.isUnavailable) {
    sendError(response, 500, 'AF50000', 'An internal error occurred.');
    return;
  }
  response.end(blob.body);
}

function sendFault(response: ServerResponse, fault: FeedFault, state: ServerState): void {
  if (fault === 'throttled') {
    state.limiter.block(1_000);
    sendThrottled(response, state.limiter.consume() ?? 1);
    return;
  }
  if (fault === 'unavailable') {
    sendError(response, 500, 'AF50000', 'An internal error occurred.');
    return;
  }
  if (fault === 'tokenExpired') {
    state.login.expireTokens();
    sendError(response, 401, 'AF10001', 'The permission set in the token is expired or missing.');
    return;
  }
  response.writeHead(200, { 'content-length': '1000' });
  response.write('[{"Id":"');
  setTimeout(() => response.destroy(), 20);
}

function sendThrottled(response: ServerResponse, seconds: number): void {
  response.setHeader('retry-after', String(seconds));
  sendError(response, 429, 'AF429', 'Too many requests.');
}

function sendError(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status).end(JSON.stringify({ error: { code, message } }));
}
