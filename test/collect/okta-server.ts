import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createOktaClient, type OktaClient } from './okta-client.ts';

/** An event as the server has stored it: `storedAtMs` orders the log, `published` may be older. */
interface StoredEvent {
  readonly storedAtMs: number;
  readonly text: string;
}

/** What happens to one request instead of a page. */
export type Fault =
  | 'unavailable'
  | 'rateLimited'
  /** A status 200 whose body ends early and whose connection is cut. */
  | 'truncated'
  /** A complete response whose JSON ends early. */
  | 'incompleteJson'
  | 'hung'
  | 'redirect'
  | 'foreignLink'
  /** 64 MiB of blanks in a compressed body of 64 kB. */
  | 'bomb';

export interface OktaServer extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** Requests for pages, refused ones included. */
  requestCount(): number;
  /** Requests that came although the rate limit was used up and its reset not reached. */
  earlyRequestCount(): number;
  /** Stores events at the end of the log. */
  append(events: readonly object[]): void;
  /** Cursors that were handed out are refused from now on. */
  expireCursors(): void;
  /** The client whose access tokens are accepted too. */
  readonly client: OktaClient;
  /** Only this token is accepted from now on. */
  setToken(token: string): void;
  /** Sets the fault of each of the next requests; null: a page. */
  fail(next: readonly (Fault | null)[]): void;
  /** Faults that no request has met yet. */
  pendingFaults(): number;
}

export interface OktaServerOptions {
  /** Of a page; Okta's own maximum is 1000. */
  readonly pageMax?: number;
  readonly latencyMs?: number;
  readonly rateLimit?: { readonly requests: number; readonly windowMs: number };
  /** Each page begins with this many events of the one before, in another order. */
  readonly repeats?: number;
}

/**
 * A server of Okta's System Log API by its documentation: tokens, `since`, `after`, `limit`, `sortOrder`, links to the next page that polling requests
 * always have, the headers of its rate limit, and its errors.
 */
export async function startOktaServer(options: OktaServerOptions = {}): Promise<OktaServer> {
  const { latencyMs = 0 } = options;
  const log: StoredEvent[] = [];
  const limiter = createLimiter(options.rateLimit ?? { requests: 1e9, windowMs: 1_000 });
  const state = { generation: 1, token: 'ssws-token-of-the-test', requests: 0, early: 0, url: '' };
  const faults: (Fault | null)[] = [];

  const client = createOktaClient();
  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    state.requests += 1;
    const { authorization } = request.headers;
    if (authorization !== `SSWS ${state.token}` && !client.isAuthorized(authorization)) {
      sendError(response, 401, 'E0000011', 'Invalid token provided');
      return;
    }
    const limit = limiter.consume();
    response.setHeaders(new Map(Object.entries(limit.headers)));
    const fault = limit.isExceeded ? 'rateLimited' : (faults.shift() ?? null);
    if (limit.isExceeded) state.early += 1;
    if (fault !== null) {
      faultResponses[fault](response);
      return;
    }
    sendPage(request, response, log, state, options);
  };
  const server = createServer((request, response) => {
    if (request.url === '/oauth2/v1/token') {
      client.sendToken(request, response, state.url).catch((error: Error) => response.destroy(error));
      return;
    }
    request.resume();
    setTimeout(() => respond(request, response), latencyMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: state.url,
    token: state.token,
    client,
    fail: (next) => void faults.push(...next),
    pendingFaults: () => faults.length,
    requestCount: () => state.requests,
    earlyRequestCount: () => state.early,
    append: (events) => {
      for (const event of events) log.push({ storedAtMs: Date.now(), text: JSON.stringify(event) });
    },
    expireCursors() {
      state.generation += 1;
    },
    setToken(token) {
      state.token = token;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  log: readonly StoredEvent[],
  { generation, url }: { readonly generation: number; readonly url: string },
  { pageMax = 1_000, repeats = 0 }: OktaServerOptions,
): void {
  const requested = new URL(request.url ?? '', url);
  const query = requested.searchParams;
  const limit = Number(query.get('limit') ?? 100);
  const isSupported = [...query.keys()].every((name) => ['since', 'after', 'limit', 'sortOrder'].includes(name));
  if (requested.pathname !== '/api/v1/logs' || !isSupported || !(limit >= 1 && limit <= 1_000)) {
    sendError(response, 400, 'E0000001', 'Api validation failed: request');
    return;
  }
  const from = findStart(query, log, generation);
  if (from === null) {
    sendError(response, 400, 'E0000001', 'Api validation failed: after');
    return;
  }
  const size = Math.min(limit, pageMax);
  const page = log.slice(from, from + size).map(({ text }) => text);
  const repeated = page.length === 0 ? [] : log.slice(Math.max(0, from - repeats), from).map(({ text }) => text);
  const next = new URL(requested);
  next.searchParams.delete('since');
  next.searchParams.set('after', `${generation}_${from + page.length}`);
  response.setHeader('link', [`<${requested.href}>; rel="self"`, `<${next.href}>; rel="next"`]);
  response.setHeader('content-type', 'application/json');
  response.end(`[${[...repeated.reverse(), ...page].join(',')}]`);
}

function findStart(query: URLSearchParams, log: readonly StoredEvent[], generation: number): number | null {
  const after = query.get('after');
  if (after !== null) {
    const [of, position] = after.split('_').map(Number);
    return of === generation && position !== undefined ? position : null;
  }
  const sinceMs = Date.parse(query.get('since') ?? '');
  if (!(sinceMs > Date.now() - 90 * 86_400_000)) return null;
  const found = log.findIndex(({ storedAtMs }) => storedAtMs >= sinceMs);
  return found === -1 ? log.length : found;
}

function sendError(response: ServerResponse, status: number, errorCode: string, errorSummary: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ errorCode, errorSummary, errorLink: errorCode, errorId: 'oae1', errorCauses: [] }));
}

const faultResponses: Readonly<Record<Fault, (response: ServerResponse) => void>> = {
  rateLimited: (response) =>
    sendError(response, 429, 'E0000047', 'API call exceeded rate limit due to too many requests.'),
  unavailable: (response) => sendError(response, 503, 'E0000009', 'Internal Server Error'),
  truncated(response) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('[{"uuid":"');
    setTimeout(() => response.destroy(), 20);
  },
  incompleteJson(response) {
    response.end('[{"uuid":"a","published":"2026-11-20T08:00:00Z"');
  },
  hung(response) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('[');
  },
  redirect(response) {
    response.writeHead(302, { location: 'http://127.0.0.1:1/collected' }).end();
  },
  foreignLink(response) {
    response.setHeader('link', '<http://127.0.0.1:1/api/v1/logs?after=1>; rel="next"');
    response.end('[]');
  },
  bomb(response) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(createBomb());
  },
};

let compressed: Buffer | null = null;
function createBomb(): Buffer {
  compressed ??= gzipSync(Buffer.alloc(64 * 1_048_576, ' '));
  return compressed;
}

function createLimiter({ requests, windowMs }: { readonly requests: number; readonly windowMs: number }) {
  let remaining = requests;
  let resetAtMs = Date.now() + windowMs;
  return {
    consume() {
      const nowMs = Date.now();
      // The header has whole seconds: the limit is reset at the beginning of one.
      if (nowMs >= resetAtMs) [remaining, resetAtMs] = [requests, Math.ceil((nowMs + windowMs) / 1_000) * 1_000];
      const isExceeded = remaining === 0;
      if (!isExceeded) remaining -= 1;
      const headers = {
        'x-rate-limit-limit': String(requests),
        'x-rate-limit-remaining': String(remaining),
        'x-rate-limit-reset': String(Math.ceil(resetAtMs / 1_000)),
      };
      return { isExceeded, headers };
    },
  };
}
