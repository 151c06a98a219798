import { scopes as allScopes, expandScopes, type Scope } from '@tenantscope/contract';
import type { ConsoleStore, Session } from '@tenantscope/store/console';
import * as routes from '../../api/playground.ts';
import { buildRequest } from '../../api/playground-request.ts';
import { auditContext } from '../http/audit-context.ts';
import { handle } from '../http/handler.ts';
import { HttpError } from '../http/http-error.ts';
import { abortWhenUnreachable } from '../playground/api-health.ts';
import { operationForms } from '../playground/operation-forms.ts';
import { findKey, noKey } from './visible-keys.ts';

const runTimeoutMs = 60_000;
/** Evidence packs are the largest responses. */
const bodyMaxBytes = 256 * 1_048_576;

/** Which scopes a member may run with: an officer reads evidence, an administrator everything. */
const roleScopes = ({ role }: Session): readonly Scope[] => (role === 'admin' ? allScopes : ['evidence:read']);

export const listOperations = handle(routes.listOperations, async ({ session }) => ({
  scopes: roleScopes(session),
  operations: operationForms.map((operation) => ({
    ...operation,
    isAllowed: operation.requiredScopes.every((scope) => roleScopes(session).includes(scope)),
  })),
}));

/** Uses a key that lives a quarter of an hour and never leaves this process. A run with one that was revoked is refused; the next one gets another. */
export const runInPlayground = handle(routes.runInPlayground, async (context) => {
  const { console, store, session, input, request, reply } = context;
  const operation = operationForms.find(({ name }) => name === input.operation);
  if (!operation) throw new HttpError('INVALID_PARAMETER', 'operation: there is no such operation.');
  if (!session.tenants.some(({ id }) => id === input.tenantId))
    throw new HttpError('INVALID_PARAMETER', 'tenantId: is not one of your tenants.');
  console.limitRuns(session.memberId);
  const by = auditContext(session, request);
  const secret = await console.playgroundKeys.secretFor(session, by, {
    tenantId: input.tenantId,
    scopes: await selectScopes(input, session, store),
  });
  const disconnect = new AbortController();
  // Of the response: the request is closed as soon as it is read.
  reply.raw.once('close', () => disconnect.abort());
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  const record = (status: number) =>
    store.transaction(by, (transaction) =>
      store.runs.record(transaction, {
        organizationId: session.organizationId,
        memberId: session.memberId,
        tenantId: input.tenantId,
        mode: input.mode,
        operation: operation.name,
        parameters: storableParameters({ ...input.parameters, ...(input.id === undefined ? {} : { id: input.id }) }),
        status,
        durationMs: durationMs(),
      }),
    );
  const { method, path, body } = buildRequest(operation, { ...input, id: input.id ?? '' });
  using unreachable = abortWhenUnreachable(console.api.isResponding);
  try {
    const response = await fetch(console.api.url + path, {
      method,
      headers: { Authorization: `Bearer ${secret}`, ...(body === null ? restHeaders : mcpHeaders) },
      ...(body === null ? {} : { body }),
      redirect: 'error',
      signal: AbortSignal.any([disconnect.signal, unreachable.signal, AbortSignal.timeout(runTimeoutMs)]),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const summary: routes.RunSummary = {
      status: response.status,
      ms: durationMs(),
      size: bytes.length,
      headers: Object.fromEntries([...response.headers].filter(([name]) => isShownHeader(name))),
    };
    if (response.status === 401) console.playgroundKeys.forget(secret);
    await record(response.status);
    if (bytes.length > bodyMaxBytes)
      throw new HttpError('CONFLICT', 'The response is too large for the playground; narrow the request.');
    return reply
      .header('X-Run', Buffer.from(JSON.stringify(summary)).toString('base64url'))
      .type('application/json')
      .send(bytes);
  } catch (cause) {
    if (cause instanceof HttpError) throw cause;
    // The request was sent, whether or not its response was awaited.
    await record(disconnect.signal.aborted ? cancelledStatus : unreachableStatus);
    const message = 'The API does not respond. Nothing was changed; try again later.';
    throw new HttpError('SERVICE_UNAVAILABLE', message, [], { cause });
  }
});

const restHeaders = { Accept: 'application/json' };
const mcpHeaders = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
/** As proxies log a client that disconnected, and a service that they could not reach. */
const cancelledStatus = 499;
const unreachableStatus = 503;

/** As the database can store it: without NUL and lone surrogates. */
const storableParameters = (parameters: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => [
        name.replaceAll('\0', '\u2400').toWellFormed(),
        value.replaceAll('\0', '\u2400').toWellFormed(),
      ]),
  );

/** Headers of the API; those of the connection are not about the response. */
const isShownHeader = (name: string): boolean => /^(x-|retry-after|link|content-type|www-authenticate)/.test(name);

async function selectScopes(
  { scopesOf, added }: routes.PlaygroundRunInput,
  session: Session,
  store: ConsoleStore,
): Promise<readonly string[]> {
  if (scopesOf === 'me') return roleScopes(session);
  if (session.role !== 'admin')
    throw new HttpError('FORBIDDEN', 'Only an administrator may run with the scopes of a key.');
  const key = await findKey(store, session, scopesOf);
  if (key === null) throw new HttpError('NOT_FOUND', noKey);
  return [...expandScopes([...key.scopes, ...(added === undefined ? [] : [added])])];
}

export const listPlaygroundRuns = handle(routes.listPlaygroundRuns, async ({ store, session }) => ({
  runs: await store.runs.list(
    session.memberId,
    session.tenants.map(({ id }) => id),
  ),
}));
