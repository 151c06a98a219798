import {
  describe,
  scopes as everyScope,
  expandScopes,
  type Operation,
  operations,
  type Scope,
} from '@tenantscope/contract';
import type { Session } from '@tenantscope/store';
import { z } from 'zod';
import { actingIn } from '../acting.ts';
import { Refusal } from '../refusal.ts';
import { route } from '../route.ts';
import { findKey } from './keys.ts';

const runTimeoutMs = 60_000;
/** Answers of evidence packs are the largest there are. */
const bodyMaxBytes = 256 * 1_048_576;
const mayPlay = ['admin', 'officer'] as const;

/** Which scopes a person may run with: an officer reads evidence, an administrator everything. */
const scopesOf = ({ role }: Session): readonly Scope[] => (role === 'admin' ? everyScope : ['evidence:read']);

const listed = (operations as readonly Operation[]).map((operation) => ({
  name: operation.name,
  kind: operation.kind,
  path: operation.path,
  scope: operation.scope,
  summary: operation.summary,
  description: operation.description,
  exampleId: operation.kind === 'get' ? operation.exampleId : null,
  sorts: operation.kind === 'list' ? operation.sorts : [],
  parameters: Object.entries(operation.parameters).map(([name, parameter]) => ({
    name,
    kind: parameter.kind,
    words: describe(parameter),
    allowed: 'allowed' in parameter ? parameter.allowed : null,
    example: parameter.example,
  })),
  examples: operation.examples,
}));

export const listOperations = route({
  method: 'GET',
  path: '/operations',
  roles: mayPlay,
  answer: async ({ session }) => ({
    scopes: scopesOf(session),
    operations: listed.map((operation) => ({
      ...operation,
      isAllowed: operation.scope === null || scopesOf(session).includes(operation.scope),
    })),
  }),
});

const run = z.strictObject({
  operation: z.string(),
  tenantId: z.guid(),
  mode: z.enum(['rest', 'mcp']),
  id: z.string().max(1_000).optional(),
  parameters: z.record(z.string().max(64), z.string().max(8_192)),
  /** `me`, or the id of a key whose scopes are taken. */
  scopesOf: z.union([z.literal('me'), z.guid()]),
});
type Run = z.infer<typeof run>;

/**
 * Runs one request against the api with a key that lives a quarter of an hour and never leaves this process. The body is passed on byte for byte; what
 * went out and came back besides stands in the header X-Run.
 */
export const runInPlayground = route({
  method: 'POST',
  path: '/playground/run',
  roles: mayPlay,
  body: run,
  async answer({ console, store, session, body, request, reply }) {
    const operation = (operations as readonly Operation[]).find(({ name }) => name === body.operation);
    if (!operation) throw new Refusal('INVALID_PARAMETER', 'operation: there is no such operation.');
    if (!session.tenants.some(({ id }) => id === body.tenantId))
      throw new Refusal('INVALID_PARAMETER', 'tenantId: name a tenant that you may look at.');
    console.paceRun(session.personId);
    const by = actingIn(session, request);
    const secret = await console.playgroundKeys.secretFor(session, by, {
      tenantId: body.tenantId,
      scopes: await scopesFor(body, session, store),
    });
    const asked = askedOf(operation, body, console.api.url);
    const gone = new AbortController();
    request.raw.once('close', () => {
      if (!reply.sent) gone.abort();
    });
    const beganAt = performance.now();
    const answer = await fetch(asked.url, {
      method: asked.method,
      headers: { Authorization: `Bearer ${secret}`, Accept: 'application/json', ...asked.headers },
      ...(asked.body === null ? {} : { body: asked.body }),
      signal: AbortSignal.any([gone.signal, AbortSignal.timeout(runTimeoutMs)]),
    }).catch(() => {
      throw new Refusal('SERVICE_UNAVAILABLE', 'The api does not answer. Nothing was changed; try again in a moment.');
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (bytes.length > bodyMaxBytes)
      throw new Refusal('CONFLICT', 'The answer is too large for the playground; narrow it.');
    const durationMs = Math.round(performance.now() - beganAt);
    await store.change(by, (transaction) =>
      store.runs.note(transaction, {
        organizationId: session.organizationId,
        personId: session.personId,
        tenantId: body.tenantId,
        mode: body.mode,
        operation: operation.name,
        parameters: { ...body.parameters, ...(body.id === undefined ? {} : { id: body.id }) },
        status: answer.status,
        durationMs,
      }),
    );
    const told = {
      status: answer.status,
      ms: durationMs,
      size: bytes.length,
      request: { method: asked.method, path: asked.path, body: asked.body },
      headers: Object.fromEntries([...answer.headers].filter(([name]) => isTold(name))),
    };
    return reply
      .header('X-Run', Buffer.from(JSON.stringify(told)).toString('base64url'))
      .type('application/json')
      .send(bytes);
  },
});

/** Headers of ours; those of the connection say nothing about the answer. */
const isTold = (name: string): boolean => /^(x-|retry-after|link|content-type|www-authenticate)/.test(name);

async function scopesFor(
  body: Run,
  session: Session,
  store: Parameters<typeof runInPlayground.answer>[0]['store'],
): Promise<readonly string[]> {
  if (body.scopesOf === 'me') return scopesOf(session);
  if (session.role !== 'admin') throw new Refusal('FORBIDDEN', 'Only an administrator runs with the scopes of a key.');
  const key = await findKey(store, session, body.scopesOf);
  if (key === null) throw new Refusal('NOT_FOUND', 'There is no such key.');
  return [...expandScopes(key.scopes)];
}

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** As its maker would write it, from the base address on. */
  readonly path: string;
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

function askedOf(operation: Operation, { mode, id, parameters }: Run, base: string): Asked {
  const given = Object.entries(parameters).filter(([, value]) => value !== '');
  if (mode === 'mcp') {
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: operation.name,
        arguments: { ...(operation.kind === 'get' ? { id: id ?? '' } : {}), ...Object.fromEntries(given) },
      },
    };
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    return { method: 'POST', url: `${base}/mcp`, path: '/mcp', body: JSON.stringify(call), headers };
  }
  const query = new URLSearchParams(given).toString();
  const path = operation.path.replace('{id}', encodeURIComponent(id ?? '')) + (query === '' ? '' : `?${query}`);
  return { method: 'GET', url: base + path, path, body: null, headers: {} };
}

export const playgroundHistory = route({
  method: 'GET',
  path: '/playground/history',
  roles: mayPlay,
  answer: async ({ store, session }) => ({
    runs: await store.runs.list(
      session.personId,
      session.tenants.map(({ id }) => id),
    ),
  }),
});
