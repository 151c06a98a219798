import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  createDirectoryList,
  createTimedList,
  type DirectoryList,
  type GraphResource,
  graphError,
  type TimedList,
} from './graph-resources.ts';
import { createMicrosoftLogin, type MicrosoftLogin } from './microsoft-login.ts';
import { createRequestLimiter, type RateLimit } from './request-limiter.ts';

/** What happens to one request instead of its response. */
export type GraphFault =
  | 'throttled'
  | 'unavailable'
  | 'truncated'
  | 'tokenExpired'
  | 'foreignLink'
  /** A status 200 with an error in its body. */
  | 'errorBody'
  | 'withoutList'
  /** A status 206 with a part of the records, since a service behind Graph failed. */
  | 'partial';

export interface GraphServer extends AsyncDisposable {
  readonly url: string;
  readonly login: MicrosoftLogin;
  readonly alerts: TimedList;
  readonly incidents: TimedList;
  readonly audits: TimedList;
  readonly signIns: TimedList;
  readonly users: DirectoryList;
  readonly groups: DirectoryList;
  readonly devices: DirectoryList;
  readonly servicePrincipals: DirectoryList;
  /** Whether the tenant has a licence for sign-ins. */
  setLicensed(isLicensed: boolean): void;
  fail(next: readonly (GraphFault | null)[]): void;
  pendingFaults(): number;
  /** Delays the response to the next request for a resource, which shows the state of its arrival. */
  delayNext(): DelayedResponse;
  earlyRequestCount(): number;
}

export interface DelayedResponse {
  /** Resolves when the request has arrived. */
  readonly arrived: Promise<void>;
  send(): void;
}

export interface GraphServerOptions {
  readonly pageMax?: number;
  readonly rateLimit?: RateLimit;
}

/**
 * Microsoft Graph and the token endpoint of the Microsoft identity platform by their documentation: lists filtered by time, delta queries, pages by links, the
 * refusal of sign-ins without a licence, and throttling with `Retry-After`.
 */
export async function startGraphServer({ pageMax = 100, rateLimit }: GraphServerOptions = {}): Promise<GraphServer> {
  const login = createMicrosoftLogin();
  const limiter = createRequestLimiter(rateLimit ?? { requests: 1e9, windowMs: 1_000 });
  const faults: (GraphFault | null)[] = [];
  const lists = {
    alerts: createTimedList('lastUpdateDateTime', { isState: true, pageMax }),
    incidents: createTimedList('lastUpdateDateTime', { isState: true, pageMax: Math.min(pageMax, 50) }),
    audits: createTimedList('activityDateTime', { isState: false, pageMax }),
    signIns: createTimedList('createdDateTime', { isState: false, pageMax }),
    users: createDirectoryList(pageMax),
    groups: createDirectoryList(pageMax),
    devices: createDirectoryList(pageMax),
    servicePrincipals: createDirectoryList(pageMax),
  };
  let isLicensed = true;
  let delayNext: { readonly arrive: () => void; readonly sent: Promise<void> } | null = null;
  const resources: Readonly<Record<string, GraphResource>> = {
    '/v1.0/security/alerts_v2': lists.alerts.resource,
    '/v1.0/security/incidents': lists.incidents.resource,
    '/v1.0/auditLogs/directoryAudits': lists.audits.resource,
    '/v1.0/auditLogs/signIns': (url) => (isLicensed ? lists.signIns.resource(url) : unlicensed),
    '/v1.0/users/delta': lists.users.resource,
    '/v1.0/groups/delta': lists.groups.resource,
    '/v1.0/devices/delta': lists.devices.resource,
    '/v1.0/servicePrincipals/delta': lists.servicePrincipals.resource,
  };
  const server = createServer();
  let origin = '';
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '', origin);
    const body = await text(request);
    if (url.pathname === login.path) {
      login.sendToken(response, body, `${origin}/.default`, origin);
      return;
    }
    if (!login.isAuthorized(request.headers.authorization)) {
      send(response, graphError(401, 'InvalidAuthenticationToken', 'Access token has expired or is not yet valid.'));
      return;
    }
    const retryAfter = limiter.consume();
    if (retryAfter !== null) {
      sendThrottled(response, 429, retryAfter);
      return;
    }
    const fault = faults.shift() ?? null;
    if (fault === 'throttled' || fault === 'unavailable') {
      limiter.block(1_000);
      sendThrottled(response, fault === 'throttled' ? 429 : 503, limiter.consume() ?? 1);
      return;
    }
    if (fault === 'tokenExpired') login.expireTokens();
    if (fault === 'tokenExpired' || fault === 'truncated') {
      truncateResponse(response);
      return;
    }
    if (fault === 'foreignLink') {
      send(response, { status: 200, body: { value: [], '@odata.nextLink': 'http://127.0.0.1:1/v1.0/users' } });
      return;
    }
    if (fault === 'errorBody' || fault === 'withoutList') {
      send(response, {
        ...graphError(200, 'UnknownError', 'The service is busy.'),
        ...(fault === 'withoutList' ? { body: {} } : {}),
      });
      return;
    }
    const reply = resources[url.pathname]?.(url) ?? graphError(404, 'ResourceNotFound', url.pathname);
    const delay = delayNext;
    delayNext = null;
    delay?.arrive();
    await delay?.sent;
    send(response, fault === 'partial' ? limitToPart(reply) : reply);
  };
  server.on('request', (request, response) => {
    respond(request, response).catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...lists,
    url: origin,
    login,
    setLicensed(value) {
      isLicensed = value;
    },
    fail: (next) => void faults.push(...next),
    pendingFaults: () => faults.length,
    delayNext() {
      const [arrived, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      delayNext = { arrive: arrived.resolve, sent: sent.promise };
      return { arrived: arrived.promise, send: sent.resolve };
    },
    earlyRequestCount: () => limiter.earlyCount(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const unlicensed = graphError(
  403,
  'Authentication_RequestFromNonPremiumTenantOrB2CTenant',
  "Neither tenant is B2C or tenant doesn't have premium license",
);

function send(response: ServerResponse, { status, body, headers = {} }: ReturnType<GraphResource>): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function sendThrottled(response: ServerResponse, status: number, seconds: number): void {
  response.setHeader('retry-after', String(seconds));
  send(response, graphError(status, status === 429 ? 'TooManyRequests' : 'serviceNotAvailable', 'Please retry after'));
}

function limitToPart({ body }: ReturnType<GraphResource>): ReturnType<GraphResource> {
  const { value } = body as { readonly value: readonly unknown[] };
  const warning = '199 - "Microsoft/Service 1/403/10", 199 - "Microsoft/Service 2/504/10000"';
  return { status: 206, body: { value: value.slice(0, 1) }, headers: { warning } };
}

function truncateResponse(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"value":[{"id":"');
  setTimeout(() => response.destroy(), 20);
}
