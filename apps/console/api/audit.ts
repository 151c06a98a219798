import * as z from 'zod/mini';
import { defineRoute, noParameters, nullableNumber, nullableString, readonlyArray, roles } from './route.ts';

const state = z.nullable(z.record(z.string(), z.unknown()));

const auditEvent = z.object({
  number: z.number(),
  at: z.string(),
  actor: z.string(),
  actorName: nullableString,
  /** Whose account a failed sign-in was tried with; null: no such account. */
  accountName: nullableString,
  sessionId: nullableString,
  requestId: nullableString,
  /** Null: from the host itself, or recorded before addresses were. */
  address: nullableString,
  action: z.string(),
  subjectType: z.string(),
  subjectId: z.string(),
  before: state,
  after: state,
  previousSha256: nullableString,
  sha256: z.string(),
});
export type AuditEvent = z.output<typeof auditEvent>;

const period = { from: z.optional(z.string()), to: z.optional(z.string()) };

/** Actions of administrators, newest first. Officers and viewers see their own; a member of some tenants, what concerns those. */
export const listAuditEvents = defineRoute({
  method: 'GET',
  path: '/audit',
  roles,
  input: z.object({
    ...period,
    actor: z.optional(z.string()),
    action: z.optional(z.string()),
    subjectType: z.optional(z.string()),
    subjectId: z.optional(z.string()),
    tenantId: z.optional(z.string()),
    cursor: z.optional(z.string()),
  }),
  output: z.object({
    events: readonlyArray(auditEvent),
    nextCursor: nullableString,
    /** The newest event of all; for administrators. */
    head: z.nullable(z.object({ number: z.number(), sha256: nullableString, at: nullableString })),
  }),
});
export type AuditPage = z.output<(typeof listAuditEvents)['output']>;

export const verifyAudit = defineRoute({
  method: 'GET',
  path: '/audit/verify',
  roles: ['admin'],
  input: noParameters,
  output: z.object({
    /** How many events were recomputed. */
    through: z.number(),
    brokenAt: nullableNumber,
    fault: z.nullable(z.enum(['missing', 'altered', 'notLinked', 'truncated', 'added'])),
    sha256: nullableString,
    verifiedAt: z.string(),
  }),
});
export type ChainVerification = z.output<(typeof verifyAudit)['output']>;

/** Every event of a period as NDJSON, oldest first, with the digests that chain them. */
export const exportAudit = defineRoute({
  method: 'GET',
  path: '/audit/export',
  roles: ['admin'],
  input: z.object(period),
  output: 'stream',
});
