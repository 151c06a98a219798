import * as z from 'zod/mini';
import { defineRoute, nullableString, readonlyArray, roles } from './route.ts';

const maxDeadLetters = 1_000;

const deadLetter = z.object({
  id: z.string(),
  reason: z.string(),
  stage: z.string(),
  detail: z.string(),
  topic: z.string(),
  partition: z.number(),
  offset: z.number(),
  element: z.number(),
  tenantId: nullableString,
  state: z.enum(['pending', 'replayed', 'settled', 'discarded']),
  replays: z.number(),
  replaysLeft: z.number(),
  /** The message was too large to be stored whole; it cannot be replayed. */
  truncated: z.boolean(),
  deadLetteredAt: z.string(),
  changedAt: z.string(),
});
/** A dead letter without its message. */
export type DeadLetter = z.output<typeof deadLetter>;

/** Dead letters by reason. Only an administrator sees the single ones. */
export const listDeadLetters = defineRoute({
  method: 'GET',
  path: '/dead-letters',
  roles,
  input: z.object({
    reason: z.optional(z.string()),
    topic: z.optional(z.string()),
    tenantId: z.optional(z.string()),
    /** `pending` when left out. */
    state: z.optional(z.string()),
    from: z.optional(z.string()),
    to: z.optional(z.string()),
    cursor: z.optional(z.string()),
  }),
  output: z.object({
    reasons: readonlyArray(
      z.object({ reason: z.string(), count: z.number(), firstAt: z.string(), lastAt: z.string() }),
    ),
    topics: readonlyArray(z.object({ topic: z.string(), count: z.number() })),
    deadLetters: readonlyArray(deadLetter),
    nextCursor: nullableString,
    /** Cells that do not respond: their dead letters are neither counted nor listed. */
    unavailableCells: readonlyArray(z.string()),
  }),
});
export type DeadLetters = z.output<(typeof listDeadLetters)['output']>;

const bytes = z.nullable(z.object({ encoding: z.enum(['utf8', 'base64']), text: z.string(), bytes: z.number() }));

/** One dead letter with its message, byte for byte; reading it is recorded in the audit log first. */
export const readDeadLetter = defineRoute({
  method: 'GET',
  path: '/dead-letters/:id',
  roles: ['admin'],
  input: z.object({ id: z.string() }),
  output: z.extend(deadLetter, {
    producedAt: nullableString,
    key: bytes,
    value: bytes,
    /** Length and digest of the whole value of a truncated message. */
    valueBytes: z.nullable(z.number()),
    valueSha256: nullableString,
    headers: readonlyArray(z.object({ name: z.string(), value: bytes })),
  }),
});
export type DeadLetterDetail = z.output<(typeof readDeadLetter)['output']>;

const action = z.enum(['dryRun', 'replay', 'discard']);

/** Ingestion, which has Kafka and the current readers, executes it; the response names the request to poll. */
export const requestDeadLetterAction = defineRoute({
  method: 'POST',
  path: '/dead-letters/requests',
  roles: ['admin'],
  input: z
    .strictObject({
      action,
      ids: z.array(z.guid()).check(z.minLength(1), z.maxLength(maxDeadLetters)),
      reason: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(1_000))),
    })
    .check(
      z.refine((request) => request.action !== 'discard' || request.reason !== undefined, {
        path: ['reason'],
        message: 'give the reason for discarding them',
      }),
    ),
  output: z.object({ id: z.string() }),
  /** A discard is final; a replay can be repeated, and a record that is rejected again remains. */
  requiresReauthentication: ({ action }) => action === 'discard',
});

/** How far a request has come. A member of some tenants sees own requests only. */
export const readDeadLetterRequest = defineRoute({
  method: 'GET',
  path: '/dead-letters/requests/:id',
  roles: ['admin'],
  input: z.object({ id: z.string() }),
  output: z.object({
    id: z.string(),
    action,
    reason: nullableString,
    deadLetters: z.number(),
    requestedBy: z.string(),
    requestedAt: z.string(),
    completedAt: nullableString,
    state: z.enum(['waiting', 'running', 'done']),
    lastError: nullableString,
    results: readonlyArray(
      z.object({
        deadLetterId: z.string(),
        result: z.enum(['passes', 'refused', 'projected', 'sent', 'settled', 'discarded', 'exhausted', 'missing']),
        reason: nullableString,
        detail: nullableString,
      }),
    ),
  }),
});
export type DeadLetterRequest = z.output<(typeof readDeadLetterRequest)['output']>;
