import * as z from 'zod/mini';
import type { PublicRoute } from '../../api/route.ts';
import { reauthenticate } from './reauthentication.ts';
import { reportSignedOut, whenSignedIn } from './session.ts';
import { isUserActive } from './user-activity.ts';

const errorBody = z.object({
  code: z.string(),
  message: z.string(),
  requestId: z.optional(z.string()),
  details: z.optional(z.readonly(z.array(z.object({ parameter: z.string(), reason: z.string() })))),
});

/** An error response of the console. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly details: readonly { readonly parameter: string; readonly reason: string }[];

  constructor(status: number, error: z.output<typeof errorBody>) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.requestId = error.requestId ?? null;
    this.details = error.details ?? [];
  }
}

/** Whether the session is over. */
const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'NOT_SIGNED_IN' || error.code === 'SESSION_ENDED');

/** No response, or not in time. `mayBeDone`: the change may have been made. */
export class NetworkError extends Error {
  override name = 'NetworkError';
  readonly mayBeDone: boolean;

  constructor({ mayBeDone = false, ...options }: ErrorOptions & { mayBeDone?: boolean } = {}) {
    super('no response', options);
    this.mayBeDone = mayBeDone;
  }
}

const base = '/console/api';

const readTimeoutMs = 10_000;
/** A change is waited for longer: its outcome should not remain unknown. */
const changeTimeoutMs = 25_000;
/** Longer than the server waits for the API. */
const runTimeoutMs = 75_000;

/** Requests that find out who is signed in, and how to sign in; all others wait for a session. */
const isSentWithoutSession = (path: string): boolean => path === '/me' || path === '/sign-in';

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/**
 * Calls an endpoint, and parses the response with its schema. A request that requires recent authentication waits for the member to authenticate
 * again, and continues. Throws ApiError, NetworkError or ReauthenticationCancelled.
 */
export async function call<Input extends z.ZodMiniType, Output extends z.ZodMiniType>(
  route: PublicRoute<Input, Output>,
  input: z.input<Input>,
  { signal, timeoutMs = route.method === 'GET' ? readTimeoutMs : changeTimeoutMs }: CallOptions = {},
): Promise<z.output<Output>> {
  if (route.method === 'GET' && !isSentWithoutSession(route.path)) await whenSignedIn();
  const sendOnce = () => {
    signal?.throwIfAborted();
    const timeout = AbortSignal.timeout(timeoutMs);
    return send(route, input, signal ? AbortSignal.any([signal, timeout]) : timeout, async (response) => {
      const parsed = route.output.safeParse(await response.json());
      if (parsed.success) return parsed.data;
      const message = 'The console has been updated since this page was loaded. Reload the page.';
      throw new ApiError(response.status, { code: 'UNEXPECTED_RESPONSE', message });
    });
  };
  return sendOnce().catch(async (error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'REAUTHENTICATE') throw error;
    await reauthenticate();
    return sendOnce();
  });
}

/** Calls an endpoint whose handler writes the body itself; returns its bytes and headers. */
export function callForBytes<Input extends z.ZodMiniType>(
  route: PublicRoute<Input, 'stream'>,
  input: z.input<Input>,
  signal: AbortSignal,
): Promise<Response> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(runTimeoutMs)]);
  return send(route, input, limited, async (response) => new Response(await response.arrayBuffer(), response));
}

/** Any failure on the way, or in the middle of the body, is a NetworkError; an abort of the caller is passed on. */
async function send<Value>(
  route: PublicRoute,
  input: unknown,
  signal: AbortSignal,
  read: (response: Response) => Promise<Value>,
): Promise<Value> {
  const { url, init } = buildRequest(route, input);
  try {
    const response = await fetch(url, { ...init, signal });
    if (!response.ok) throw await readError(route, response);
    return await read(response);
  } catch (cause) {
    if (cause instanceof ApiError || (cause instanceof DOMException && cause.name === 'AbortError')) throw cause;
    throw new NetworkError({ cause, mayBeDone: route.method !== 'GET' });
  }
}

/** Fills the path from members of the input; the others become the query string of a GET, else the JSON body. */
function buildRequest({ method, path }: PublicRoute, input: unknown): { url: string; init: RequestInit } {
  const members = new Map<string, unknown>(Object.entries(input ?? {}));
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(members.get(name));
    members.delete(name);
    return encodeURIComponent(value);
  });
  if (method === 'GET') {
    const given = [...members].filter(([, value]) => value !== undefined && value !== '');
    const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    // Background requests do not keep the session of an unattended screen alive.
    const headers: HeadersInit = isUserActive() ? {} : { 'X-User-Inactive': '1' };
    return { url: `${base}${filled}${query === '' ? '' : `?${query}`}`, init: { method, headers } };
  }
  const body = JSON.stringify(Object.fromEntries(members));
  return { url: base + filled, init: { method, headers: { 'Content-Type': 'application/json' }, body } };
}

async function readError({ path }: PublicRoute, response: Response): Promise<ApiError> {
  const body = z.safeParse(z.object({ error: errorBody }), await response.json().catch(() => null));
  const error = new ApiError(
    response.status,
    body.data?.error ?? { code: 'UNKNOWN', message: `HTTP ${response.status}` },
  );
  if (isSignedOut(error)) reportSignedOut(error, path);
  return error;
}
