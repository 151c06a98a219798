import { createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What happens to one request instead of its page. */
export type GoogleFault = 'throttled' | 'quota' | 'unavailable' | 'truncated' | 'tokenExpired' | 'errorBody';

export interface GoogleServer extends AsyncDisposable {
  /** Of the APIs and of the token endpoint. */
  readonly url: string;
  /** The key file of the service account. */
  readonly keyFile: string;
  /** The administrator to whom rights are delegated. */
  readonly subject: string;
  /** Adds an event of an application. It is listed from then on, under its own time. */
  addActivity(application: string, activity: object, listedInMs?: number): void;
  /** Adds an alert, or replaces the one with its id. */
  putAlert(alert: object): void;
  fail(next: readonly (GoogleFault | null)[]): void;
  pendingFaults(): number;
  /** Tokens of next pages are refused from now on. */
  expirePageTokens(): void;
}

interface Listed {
  readonly value: Readonly<Record<string, unknown>>;
  readonly atMs: number;
  readonly listedAtMs: number;
}

interface ServerState {
  readonly subject: string;
  readonly email: string;
  readonly keyId: string;
  readonly publicKey: KeyObject;
  /** The scope of each token. */
  readonly tokens: Map<string, string>;
  readonly activities: Map<string, Listed[]>;
  readonly alerts: Map<string, Listed>;
  readonly faults: (GoogleFault | null)[];
  readonly pageMax: number;
  generation: number;
  url: string;
}

const dayMs = 86_400_000;
const reportsPath = /^\/admin\/reports\/v1\/activity\/users\/all\/applications\/([a-z_]+)$/;
const reportsScope = 'https://www.googleapis.com/auth/admin.reports.audit.readonly';
const alertsScope = 'https://www.googleapis.com/auth/apps.alerts';

/**
 * Google's Reports API, Alert Center API and token endpoint by their documentation: JWT of a service account with a delegated administrator, events by time from the
 * newest, pages by tokens, and quotas that are refused with 403 or 429.
 */
export async function startGoogleServer({
  pageMax = 1_000,
}: {
  readonly pageMax?: number;
} = {}): Promise<GoogleServer> {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const state: ServerState = {
    subject: 'admin@example.com',
    email: 'collector@project.iam.gserviceaccount.com',
    keyId: randomUUID().replaceAll('-', ''),
    publicKey: createPublicKey(pair.privateKey),
    tokens: new Map(),
    activities: new Map(),
    alerts: new Map(),
    faults: [],
    pageMax,
    generation: 1,
    url: '',
  };
  const server = createServer((request, response) => {
    respond(request, response, state).catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: state.url,
    subject: state.subject,
    keyFile: JSON.stringify({
      type: 'service_account',
      private_key_id: state.keyId,
      private_key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      client_email: state.email,
      token_uri: 'https://oauth2.googleapis.com/token',
    }),
    addActivity(application, activity, listedInMs = 0) {
      const { id } = activity as { id: { time: string } };
      const listed = state.activities.get(application) ?? [];
      state.activities.set(application, listed);
      listed.push({ value: { ...activity }, atMs: Date.parse(id.time), listedAtMs: Date.now() + listedInMs });
    },
    putAlert(alert) {
      const value = { ...alert } as Record<string, unknown>;
      const atMs = Date.parse(String(value.createTime));
      state.alerts.set(String(value.alertId), { value, atMs, listedAtMs: Date.now() });
    },
    fail: (next) => void state.faults.push(...next),
    pendingFaults: () => state.faults.length,
    expirePageTokens() {
      state.generation += 1;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function respond(request: IncomingMessage, response: ServerResponse, state: ServerState): Promise<void> {
  const url = new URL(request.url ?? '', state.url);
  const body = await text(request);
  response.setHeader('content-type', 'application/json; charset=UTF-8');
  if (url.pathname === '/token') {
    sendToken(response, new URLSearchParams(body), state);
    return;
  }
  const application = reportsPath.exec(url.pathname)?.[1];
  if (application === undefined && url.pathname !== '/v1beta1/alerts') {
    sendError(response, 404, 'notFound');
    return;
  }
  const scope = state.tokens.get(request.headers.authorization ?? '');
  if (scope === undefined) {
    sendError(response, 401, 'authError', 'Request had invalid authentication credentials.');
    return;
  }
  if (scope !== (application === undefined ? alertsScope : reportsScope)) {
    sendError(response, 403, 'insufficientPermissions', 'Insufficient Permission');
    return;
  }
  const fault = state.faults.shift() ?? null;
  if (fault !== null) {
    sendFault(response, fault, state);
    return;
  }
  if (application === undefined) sendAlerts(response, url, state);
  else sendActivities(response, url, state.activities.get(application) ?? [], state);
}

function sendToken(response: ServerResponse, form: URLSearchParams, state: ServerState): void {
  const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
  const signed = Buffer.from(`${header}.${claims}`);
  const isSigned = verify('sha256', signed, state.publicKey, Buffer.from(signature, 'base64url'));
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
  if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer' || !isSigned) {
    sendTokenError(response, 400, 'invalid_grant', 'Invalid JWT Signature.');
    return;
  }
  const { alg, kid } = read(header);
  const { iss, sub, aud, scope, exp, iat } = read(claims);
  if (alg !== 'RS256' || kid !== state.keyId || iss !== state.email || aud !== `${state.url}/token`) {
    sendTokenError(response, 400, 'invalid_grant', 'Invalid JWT.');
    return;
  }
  if (!(Number(exp) > Date.now() / 1_000 && Number(exp) - Number(iat) <= 3_600)) {
    sendTokenError(response, 400, 'invalid_grant', 'Token must be a short-lived token.');
    return;
  }
  if (sub !== state.subject) {
    sendTokenError(
      response,
      401,
      'unauthorized_client',
      'Client is unauthorized to retrieve access tokens using this method.',
    );
    return;
  }
  const token = randomUUID();
  state.tokens.set(`Bearer ${token}`, String(scope));
  response.end(JSON.stringify({ access_token: token, expires_in: 3599, token_type: 'Bearer' }));
}

function sendActivities(response: ServerResponse, url: URL, listed: readonly Listed[], state: ServerState): void {
  const [startMs, endMs] = ['startTime', 'endTime'].map((name) => Date.parse(url.searchParams.get(name) ?? ''));
  if (!(Number(startMs) >= Date.now() - 180 * dayMs && Number(startMs) <= Number(endMs))) {
    sendError(response, 400, 'invalid', 'Start time can not be before 180 days.');
    return;
  }
  const found = listed
    .filter(({ atMs, listedAtMs }) => atMs >= Number(startMs) && atMs <= Number(endMs) && listedAtMs <= Date.now())
    .toSorted((a, b) => b.atMs - a.atMs);
  sendPage(response, url, { kind: 'admin#reports#activities', member: 'items', sizeName: 'maxResults' }, found, state);
}

function sendAlerts(response: ServerResponse, url: URL, state: ServerState): void {
  const filter = url.searchParams.get('filter') ?? '';
  const [, from = '', to = ''] = /^createTime >= "([^"]+)" AND createTime <= "([^"]+)"$/.exec(filter) ?? [];
  if (from === '') {
    sendError(response, 400, 'badRequest', 'Invalid filter.');
    return;
  }
  const found = [...state.alerts.values()]
    .filter(({ atMs }) => atMs >= Date.parse(from) && atMs <= Date.parse(to))
    .toSorted((a, b) => a.atMs - b.atMs);
  sendPage(response, url, { kind: undefined, member: 'alerts', sizeName: 'pageSize' }, found, state);
}

/** Without records, the list is missing. */
function sendPage(
  response: ServerResponse,
  { searchParams }: URL,
  { kind, member, sizeName }: { readonly kind: string | undefined; readonly member: string; readonly sizeName: string },
  found: readonly Listed[],
  { pageMax, generation }: ServerState,
): void {
  const size = Math.min(pageMax, Number(searchParams.get(sizeName) ?? 100));
  const [of, from = 0] = (searchParams.get('pageToken') ?? `${generation}_0`).split('_').map(Number);
  if (of !== generation) {
    sendError(response, 400, 'invalid', 'Invalid page token');
    return;
  }
  const values = found.slice(from, from + size).map(({ value }) => value);
  response.end(
    JSON.stringify({
      kind,
      ...(values.length === 0 ? {} : { [member]: values }),
      ...(from + size < found.length ? { nextPageToken: `${generation}_${from + size}` } : {}),
    }),
  );
}

function sendFault(response: ServerResponse, fault: GoogleFault, state: ServerState): void {
  if (fault === 'throttled') {
    sendError(response, 429, 'rateLimitExceeded', 'Quota exceeded');
    return;
  }
  if (fault === 'quota') {
    sendError(response, 403, 'userRateLimitExceeded', 'User Rate Limit Exceeded');
    return;
  }
  if (fault === 'unavailable') {
    sendError(response, 503, 'backendError', 'Service unavailable');
    return;
  }
  if (fault === 'tokenExpired') {
    state.tokens.clear();
    sendError(response, 401, 'authError', 'Request had invalid authentication credentials.');
    return;
  }
  if (fault === 'errorBody') {
    response.end(JSON.stringify({ error: { code: 503, message: 'The service is currently unavailable.' } }));
    return;
  }
  response.writeHead(200, { 'content-length': '1000' });
  response.write('{"items":[{"kind":"');
  setTimeout(() => response.destroy(), 20);
}

function sendError(response: ServerResponse, code: number, reason: string, message = reason): void {
  const error = { code, message, errors: [{ message, domain: 'global', reason }] };
  response.writeHead(code).end(JSON.stringify({ error }));
}

function sendTokenError(response: ServerResponse, status: number, error: string, description: string): void {
  response.writeHead(status).end(JSON.stringify({ error, error_description: description }));
}
