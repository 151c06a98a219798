import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A blob of content. It is listed from `listedAtMs` on, under the time of its creation, which may be earlier. */
interface Blob {
  readonly contentType: string;
  readonly contentId: string;
  readonly createdMs: number;
  readonly listedAtMs: number;
  readonly body: string;
  isExpired: boolean;
}

/** What happens to one request of the feed instead of its response. */
export type FeedFault = 'unavailable' | 'throttled' | 'truncated' | 'tokenExpired';

export interface O365Server extends AsyncDisposable {
  /** Of the feed and of the token endpoint. */
  readonly url: string;
  readonly directoryId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Adds a blob; returns its id. */
  addBlob(contentType: string, records: readonly object[], createdMs: number, listedInMs?: number): string;
  /** The blob is listed, and its content is refused as expired. */
  expire(contentId: string): void;
  fail(next: readonly (FeedFault | null)[]): void;
  pendingFaults(): number;
  /** How often each blob was fetched. */
  fetchCounts(): ReadonlyMap<string, number>;
  subscriptions(): readonly string[];
  /** Requests that came before the time of Retry-After. */
  earlyRequestCount(): number;
}

const dayMs = 86_400_000;
const types = ['Audit.AzureActiveDirectory', 'Audit.Exchange', 'Audit.SharePoint', 'Audit.General', 'DLP.All'];

/**
 * The Office 365 Management Activity API and the token endpoint of the Microsoft identity platform by their documentation: subscriptions, listings of at most
 * 24 hours within 7 days, pages by `NextPageUri`, content, its errors, and throttling with `Retry-After`.
 */
export async function startO365Server(options: { readonly pageMax?: number } = {}): Promise<O365Server> {
  const server = createServer();
  const state: ServerState = {
    url: '',
    directoryId: randomUUID(),
    clientId: randomUUID(),
    clientSecret: 'client-secret-of-the-test',
    tokens: new Set(),
    subscriptions: new Set(),
    blobs: [],
    faults: [],
    fetched: new Map(),
    throttledUntilMs: 0,
    early: 0,
    pageMax: options.pageMax ?? 100,
  };
  server.on('request', (request, response) => {
    respond(request, response, state).catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: state.url,
    directoryId: state.directoryId,
    clientId: state.clientId,
    clientSecret: state.clientSecret,
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
      });
      return contentId;
    },
    expire(contentId) {
      for (const blob of state.blobs) if (blob.contentId === contentId) blob.isExpired = true;
    },
    fail: (next) => void state.faults.push(...next),
    pendingFaults: () => state.faults.length,
    fetchCounts: () => state.fetched,
    subscriptions: () => [...state.subscriptions].toSorted(),
    earlyRequestCount: () => state.early,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface ServerState {
  url: string;
  readonly directoryId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly tokens: Set<string>;
  readonly subscriptions: Set<string>;
  readonly blobs: Blob[];
  readonly faults: (FeedFault | null)[];
  readonly fetched: Map<string, number>;
  throttledUntilMs: number;
  early: number;
  readonly pageMax: number;
}

async function respond(request: IncomingMessage, response: ServerResponse, state: ServerState): Promise<void> {
  const url = new URL(request.url ?? '', state.url);
  response.setHeader('content-type', 'application/json; charset=utf-8');
  const body = await text(request);
  if (url.pathname === `/${state.directoryId}/oauth2/v2.0/token`) {
    sendToken(response, body, state);
    return;
  }
  const feed = `/api/v1.0/${state.directoryId}/activity/feed`;
  if (!url.pathname.startsWith(feed)) {
    sendError(response, 404, 'AF20001', 'The resource does not exist.');
    return;
  }
  if (!state.tokens.has(request.headers.authorization ?? '')) {
    sendError(response, 401, 'AF10001', 'The permission set in the token is expired or missing.');
    return;
  }
  if (Date.now() < state.throttledUntilMs) state.early += 1;
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

function sendToken(response: ServerResponse, body: string, state: ServerState): void {
  const form = new URLSearchParams(body);
  if (form.get('client_secret') !== state.clientSecret || form.get('client_id') !== state.clientId) {
    response.writeHead(401).end(
      JSON.stringify({
        error: 'invalid_client',
        error_description: 'AADSTS7000215: Invalid client secret provided.',
      }),
    );
    return;
  }
  if (form.get('grant_type') !== 'client_credentials' || form.get('scope') !== `${state.url}/.default`) {
    response.writeHead(400).end(JSON.stringify({ error: 'invalid_scope', error_description: 'AADSTS1002012' }));
    return;
  }
  const token = randomUUID();
  state.tokens.add(`Bearer ${token}`);
  response.end(JSON.stringify({ token_type: 'Bearer', expires_in: 3599, access_token: token }));
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
    contentUri: `${state.url}/api/v1.0/${state.directoryId}/activity/feed/audit/${encodeURIComponent(contentId)}`,
    contentCreated: new Date(createdMs).toISOString(),
    contentExpiration: new Date(createdMs + 7 * dayMs).toISOString(),
  }));
  response.end(JSON.stringify(contents));
}

function sendContent(response: ServerResponse, contentId: string, { blobs, fetched }: ServerState): void {
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
  response.end(blob.body);
}

function sendFault(response: ServerResponse, fault: FeedFault, state: ServerState): void {
  if (fault === 'throttled') {
    state.throttledUntilMs = Date.now() + 1_000;
    response.setHeader('retry-after', '1');
    sendError(response, 429, 'AF429', 'Too many requests.');
    return;
  }
  if (fault === 'unavailable') {
    sendError(response, 500, 'AF50000', 'An internal error occurred.');
    return;
  }
  if (fault === 'tokenExpired') {
    state.tokens.clear();
    sendError(response, 401, 'AF10001', 'The permission set in the token is expired or missing.');
    return;
  }
  response.writeHead(200, { 'content-length': '1000' });
  response.write('[{"Id":"');
  setTimeout(() => response.destroy(), 20);
}

function sendError(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status).end(JSON.stringify({ error: { code, message } }));
}
