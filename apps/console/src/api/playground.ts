import { scopes as everyScope, expandScopes, type Scope } from '@tenantscope/contract';
import type { Session } from '@tenantscope/store';
import { z } from 'zod';
import { requestOf } from '../../web/screens/playground/request.ts';
import { actingIn } from '../acting.ts';
import { untilSilent } from '../api-pulse.ts';
import { askedOperations } from '../playground-operations.ts';
import { Refusal } from '../refusal.ts';
import { route } from '../route.ts';
import { findKey } from './keys.ts';

const runTimeoutMs = 60_000;
/** Answers of evidence packs are the largest there are. */
const bodyMaxBytes = 256 * 1_048_576;
const mayPlay = ['admin', 'officer'] as const;

/** Which scopes a person may run with: an officer reads evidence, an administrator everything. */
const scopesOf = ({ role }: Session): readonly Scope[] => (role === 'admin' ? everyScope : ['evidence:read']);

export const listOperations = route({
  method: 'GET',
  path: '/operations',
  roles: mayPlay,
  answer: async ({ session }) => ({
    scopes: scopesOf(session),
    operations: askedOperations.map((operation) => ({
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
  /** A scope that the key lacks, for this run alone. */
  added: z.string().max(64).optional(),
});
type Run = z.infer<typeof run>;

/**
 * Runs one request against the api with a key that lives a quarter of an hour and never leaves this process. The body is passed on byte for byte; what
 * came beside it stands in the header X-Run.
 */
export const runInPlayground = route({
  method: 'POST',
  path: '/playground/run',
  roles: mayPlay,
  body: run,
  async answer({ console, store, session, body, request, reply }) {
    const operation = askedOperations.find(({ name }) => name === body.operation);
    if (!operation) throw new Refusal('INVALID_PARAMETER', 'operation: there is no such operation.');
    if (!session.tenants.some(({ id }) => id === body.tenantId))
      throw new Refusal('INVALID_PARAMETER', 'tenantId: name a tenant that you may look at.');
    console.paceRun(session.personId);
    const by = actingIn(session, request);
    const secret = await console.playgroundKeys.secretFor(session, by, {
      tenantId: body.tenantId,
      scopes: await scopesFor(body, session, store),
    });
    const gone = new AbortController();
    // Of the answer: what was asked is closed as soon as it is read.
    reply.raw.once('close', () => gone.abort());
    const beganAt = performance.now();
    const durationMs = () => Math.round(performance.now() - beganAt);
    const note = (status: number) =>
      store.change(by, (transaction) =>
        store.runs.note(transaction, {
          organizationId: session.organizationId,
          personId: session.personId,
          tenantId: body.tenantId,
          mode: body.mode,
          operation: operation.name,
          parameters: notable({ ...body.parameters, ...(body.id === undefined ? {} : { id: body.id }) }),
          status,
          durationMs: durationMs(),
        }),
      );
    const { method, path, body: call } = requestOf(operation, { ...body, id: body.id ?? '' });
    using silence = untilSilent(console.api.answers);
    try {
      const answer = await fetch(console.api.url + path, {
        method,
        headers: { Authorization: `Bearer ${secret}`, ...(call === null ? restHeaders : toolHeaders) },
        ...(call === null ? {} : { body: call }),
        signal: AbortSignal.any([gone.signal, silence.signal, AbortSignal.timeout(runTimeoutMs)]),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      const told = {
        status: answer.status,
        ms: durationMs(),
        size: bytes.length,
        headers: Object.fromEntries([...answer.headers].filter(([name]) => isTold(name))),
      };
      await note(answer.status);
      if (bytes.length > bodyMaxBytes)
        throw new Refusal('CONFLICT', 'The answer is too large for the playground; narrow it.');
      return reply
        .header('X-Run', Buffer.from(JSON.stringify(told)).toString('base64url'))
        .type('application/json')
        .send(bytes);
    } catch (cause) {
      if (cause instanceof Refusal) throw cause;
      // What was not waited for was asked all the same.
      await note(gone.signal.aborted ? cancelledStatus : unreachableStatus);
      const words = 'The api does not answer. Nothing was changed; try again in a moment.';
      throw new Refusal('SERVICE_UNAVAILABLE', words, [], { cause });
    }
  },
});

const restHeaders = { Accept: 'application/json' };
const toolHeaders = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
/** As proxies note a caller that hung up, and one that they could not serve. */
const cancelledStatus = 499;
const unreachableStatus = 503;

/** As the history can keep it: a database knows neither NUL nor half a character. */
const notable = (parameters: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => [
        name.replaceAll('\0', '\u2400').toWellFormed(),
        value.replaceAll('\0', '\u2400').toWellFormed(),
      ]),
  );

/** Headers of ours; those of the connection say nothing about the answer. */
const isTold = (name: string): boolean => /^(x-|retry-after|link|content-type|www-authenticate)/.test(name);

async function scopesFor(
  { scopesOf: whose, added }: Run,
  session: Session,
  store: Parameters<typeof runInPlayground.answer>[0]['store'],
): Promise<readonly string[]> {
  if (whose === 'me') return scopesOf(session);
  if (session.role !== 'admin') throw new Refusal('FORBIDDEN', 'Only an administrator runs with the scopes of a key.');
  const key = await findKey(store, session, whose);
  if (key === null) throw new Refusal('NOT_FOUND', 'There is no such key.');
  return [...expandScopes([...key.scopes, ...(added === undefined ? [] : [added])])];
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
