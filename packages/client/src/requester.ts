import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, isObject, readErrorBody } from './api-error.ts';

export interface RequesterOptions {
  /** Base URL of the API, which ends in /api/v1. */
  readonly url: string;
  readonly key: string;
  /** Sent as User-Agent, which the access log and the console show. */
  readonly userAgent: string;
  /** How long one attempt may take, its body included. Default 60 s: a request for a window that is not settled yet waits for it. */
  readonly timeoutMs?: number;
  /** Called before each pause, with the reason of the attempt that failed. */
  readonly onRetry?: (failure: Failure) => void;
}

export interface Failure {
  /** One line, without the key. */
  readonly reason: string;
  /** How long the requester waits before the next attempt. */
  readonly pauseMs: number;
}

/** Several texts of a parameter repeat it. */
export type RequestParameters = Readonly<Record<string, string | readonly string[]>>;

export interface RequestOptions {
  readonly parameters?: RequestParameters;
  /** Service id or upstream id, for a key that reads several tenants. */
  readonly tenantId?: string | undefined;
  /** No attempt begins later than this after the first one. Default: there is always a next attempt. */
  readonly retryForMs?: number;
  /** The same after a response 429: the rate limit is that of the key. Default: as `retryForMs`. */
  readonly throttledForMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** All attempts failed for reasons that pass: the network, throttling, or an error of the server. */
export class RequestTimeout extends Error {
  override name = 'RequestTimeout';
}

/**
 * Sends GET requests until one is answered with 200 and a complete JSON object. `createRequester` throws TypeError for a url or key with which no request
 * can be sent. A request throws ApiError for a response that
 * repeating does not change, RequestTimeout after `retryForMs` or `throttledForMs`, and the reason of the signal when it aborts.
 */
export type Requester = (path: string, options?: RequestOptions) => Promise<Readonly<Record<string, unknown>>>;

const defaultTimeoutMs = 60_000;
const maxPauseMs = 60_000;
/** Timeouts and errors of servers and proxies. Throttling (429) is answered separately. */
const passing = new Set([408, 425, 429, 500, 502, 503, 504]);

export function createRequester(options: RequesterOptions): Requester {
  const base = requireUrl(options.url).replace(/\/+$/, '');
  const key = requireKey(options.key);
  return async (path, { parameters = {}, tenantId, signal, ...bounds } = {}) => {
    const { retryForMs = Number.POSITIVE_INFINITY, throttledForMs = retryForMs } = bounds;
    const pairs = Object.entries(parameters).flatMap(([name, given]) =>
      [given].flat().map((text): [string, string] => [name, text]),
    );
    const query = new URLSearchParams(pairs).toString();
    const address = `${base}${path}${query === '' ? '' : `?${query}`}`;
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${key}`,
      'user-agent': options.userAgent,
      ...(tenantId === undefined ? {} : { 'x-tenant-id': tenantId }),
    };
    const startedMs = performance.now();
    for (let attempt = 0; ; attempt++) {
      const outcome = await attemptRequest(address, headers, options.timeoutMs ?? defaultTimeoutMs, signal);
      if ('body' in outcome) return outcome.body;
      const pauseMs = outcome.retryAfterMs ?? backoffMs(attempt);
      const endMs = startedMs + (outcome.isThrottled ? throttledForMs : retryForMs);
      if (performance.now() + pauseMs > endMs) throw new RequestTimeout(outcome.reason);
      options.onRetry?.({ reason: outcome.reason, pauseMs });
      await sleep(pauseMs, undefined, { signal });
    }
  };
}

/** Checked before the first request: fetch fails with a TypeError, as for the network, and the request would be repeated without end. */
function requireUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new TypeError(
      'url must begin with http:// or https:// and contain no login, such as https://api.example/api/v1',
    );
  return text;
}

function requireKey(text: string): string {
  const key = text.trim();
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('key must be an API key; it is empty or has other characters');
  return key;
}

type Outcome =
  | { readonly body: Readonly<Record<string, unknown>> }
  | { readonly reason: string; readonly retryAfterMs: number | null; readonly isThrottled: boolean };

async function attemptRequest(
  address: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    // The API never redirects: a redirect is another server, which must not receive the key.
    const response = await fetch(address, {
      headers,
      redirect: 'error',
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    const body = parseJson(await response.text());
    if (response.status === 200 && isObject(body)) return { body };
    const error = readErrorBody(body);
    if (response.status !== 200 && !passing.has(response.status)) throw new ApiError(response.status, error);
    const reason =
      response.status === 200
        ? 'the response is not a complete JSON object'
        : `status ${response.status}${error === null ? '' : `: ${error.message}`}`;
    const retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
    return { reason, retryAfterMs, isThrottled: response.status === 429 };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ApiError) throw error;
    const reason = timeout.aborted ? `no complete response within ${timeoutMs / 1_000} s` : describeCause(error);
    return { reason, retryAfterMs: null, isThrottled: false };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** The message of fetch itself is always "fetch failed"; what happened is its cause. */
function describeCause(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}

/** Whole seconds, as the API sends them; another form is read as absent. At most an hour, so that a proxy cannot stop a poller. */
function readRetryAfter(header: string | null): number | null {
  if (header === null || !/^\d{1,9}$/.test(header)) return null;
  return Math.min(Number(header), 3_600) * 1_000;
}

/** 1 s, 2 s, 4 s up to 60 s, each between half and all of it, so that many pollers do not return together. */
const backoffMs = (attempt: number) =>
  Math.min(1_000 * 2 ** Math.min(attempt, 6), maxPauseMs) * (0.5 + Math.random() / 2);
