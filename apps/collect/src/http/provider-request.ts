import { isLoopback } from '@tenantscope/runtime';
import { ProviderFailure } from '../provider/provider-failure.ts';
import { errorMaxBytes, readErrorText, toPrintable } from './error-text.ts';
import { readClockAheadMs, readWaitMs } from './response-wait.ts';

export interface ProviderRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ProviderResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Decompressed, without a byte order mark. */
  readonly body: Buffer;
}

export type SendRequest = (request: ProviderRequest) => Promise<ProviderResponse>;

export interface RequestLimits {
  /** Of a whole response. */
  readonly timeoutMs: number;
  /** Of a decompressed body. */
  readonly maxBytes: number;
}

export interface RequestSender {
  /** Throws ProviderFailure where there is no complete response; a status is no failure. */
  readonly send: SendRequest;
  /** When the last request was sent, in epoch ms. */
  lastSentAtMs(): number;
  /** By how much the clock of the provider is ahead of that of this host, by the `Date` of its first response, in ms; negative: behind. */
  clockAheadMs(): number;
}

/**
 * Sends the requests of one run. Redirects are not followed, since the credentials would go along. After a response that leaves no request of the
 * rate limit, the next one is not sent.
 */
export function createRequestSender(limits: RequestLimits, signal: AbortSignal): RequestSender {
  let lastSentAtMs = Date.now();
  let blockedUntilMs = 0;
  let aheadMs: number | null = null;
  return {
    lastSentAtMs: () => lastSentAtMs,
    clockAheadMs: () => aheadMs ?? 0,
    async send(request) {
      const nowMs = Date.now();
      if (blockedUntilMs > nowMs)
        throw new ProviderFailure('throttled', 'the rate limit of the provider is used up', blockedUntilMs - nowMs);
      lastSentAtMs = nowMs;
      const response = redactCredentials(await sendRequest(request, limits, signal), request);
      // One value for the run: records of a later request must not become older.
      aheadMs ??= readClockAheadMs(response.headers, nowMs, Date.now());
      if (response.headers.get('x-rate-limit-remaining')?.trim() === '0')
        blockedUntilMs = Date.now() + (readWaitMs(response.headers, Date.now(), true) ?? 0);
      return response;
    },
  };
}

async function sendRequest(
  { url, method = 'GET', headers, body }: ProviderRequest,
  { timeoutMs, maxBytes }: RequestLimits,
  signal: AbortSignal,
): Promise<ProviderResponse> {
  const { host, hostname, protocol } = new URL(url);
  // The secret is part of each request.
  if (protocol !== 'https:' && !isLoopback(hostname))
    throw new ProviderFailure('refused', `${host} is not on loopback and its address is not https`);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, headers: response.headers, body: await readBody(response, maxBytes, host) };
  } catch (error) {
    if (error instanceof ProviderFailure) throw error;
    signal.throwIfAborted();
    if (timeout.aborted)
      throw new ProviderFailure(
        'unavailable',
        `${host} did not send a complete response within ${timeoutMs / 1_000} s`,
      );
    throw new ProviderFailure('unavailable', `no complete response of ${host} (${readCause(error)})`);
  }
}

/** Reads a body up to a limit, so that neither a long nor a strongly compressed one takes the memory of the process. */
async function readBody(response: Response, maxBytes: number, host: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > maxBytes)
      throw new ProviderFailure('tooLarge', `a response of ${host} is longer than ${maxBytes} bytes`);
    parts.push(part);
  }
  const body = Buffer.concat(parts);
  return body.subarray(0, 3).equals(byteOrderMark) ? body.subarray(3) : body;
}

/** JSON of Microsoft, lists and errors, has it at times, although RFC 8259 forbids it. */
const byteOrderMark = Buffer.from('\ufeff');

function readCause(error: unknown): string {
  let last = error;
  while (last instanceof Error && last.cause !== undefined) last = last.cause;
  const { code, message } = last as { code?: unknown; message?: unknown };
  return toPrintable(String(code ?? message ?? last));
}

/** A response that is no success, without the credentials of its request: its text is stored, logged and published. */
function redactCredentials(response: ProviderResponse, { headers, body }: ProviderRequest): ProviderResponse {
  if (isSuccess(response) || response.body.length > errorMaxBytes) return response;
  const form = new URLSearchParams(body);
  const sent = [headers.authorization?.split(' ').at(-1), ...secretFields.map((name) => form.get(name))];
  const redacted = sent
    .flatMap((one) => (one ? [one, ...encodeCredential(one)] : []))
    .reduce((text, credential) => text.replaceAll(credential, '[redacted]'), response.body.toString('utf8'));
  return { ...response, body: Buffer.from(redacted) };
}

/** As in the body of the request, and in a URL. Client secrets of Microsoft contain a tilde, which only the body encodes. */
function encodeCredential(text: string): string[] {
  return [new URLSearchParams({ text }).toString().slice('text='.length), encodeURIComponent(text)];
}

const secretFields = ['client_secret', 'client_assertion', 'assertion'];

/** Throws the failure that a status other than 2xx means. */
export function assertSuccess(response: ProviderResponse, host: string): void {
  if (isSuccess(response)) return;
  const { status, headers, body } = response;
  const text = readErrorText(body);
  const described = `${host} responds with status ${status}${text === null ? '' : `: ${text}`}`;
  const waitMs = readWaitMs(headers, Date.now(), status === 429);
  if (status === 429) throw new ProviderFailure('throttled', described, waitMs);
  if (status >= 500 || status === 408 || status === 206) throw new ProviderFailure('unavailable', described, waitMs);
  if (status === 401 || status === 403)
    throw new ProviderFailure('refused', `${described}; check the secret file and its permissions`, waitMs);
  throw new ProviderFailure('invalid', described, waitMs);
}

/** 206 has a part of the records, although no part was requested. */
function isSuccess({ status }: ProviderResponse): boolean {
  return status >= 200 && status < 300 && status !== 206;
}
