import { scopes as everyScope, expandScopes } from '@tenantscope/contract/scopes';
import * as z from 'zod/mini';
import { defineRoute, idInput, nullableString, readonlyArray } from './route.ts';

const maxNameLength = 100;
/** More than there are scopes. */
const maxScopes = 100;

const keyViews = ['active', 'expiring', 'unused', 'ended', 'playground'] as const;
export type KeyView = (typeof keyViews)[number];

const usageBucket = z.object({
  at: z.string(),
  requests: z.number(),
  refused: z.number(),
  overLimit: z.number(),
  refusedAfterEnd: z.number(),
});
/** Requests with a key in an hour or a day, which begins `at`. */
export type UsageBucket = z.output<typeof usageBucket>;

const key = z.object({
  id: z.string(),
  name: z.string(),
  /** The first characters of the secret. */
  display: z.string(),
  scopes: readonlyArray(z.string()),
  kind: z.enum(['api', 'playground']),
  /** Null: every tenant of the organization. */
  tenantId: nullableString,
  tenantName: nullableString,
  createdAt: z.string(),
  createdBy: nullableString,
  expiresAt: nullableString,
  revokedAt: nullableString,
  /** The last request with the key while it was valid, whatever the response. */
  lastUsedAt: nullableString,
  requests: z.number(),
  replaces: nullableString,
  replacedBy: nullableString,
  days: readonlyArray(z.object({ at: z.string(), requests: z.number() })),
});
export type Key = z.output<typeof key>;

const caller = z.object({ address: nullableString, agent: nullableString, lastUsedAt: z.string() });

const keyDetail = z.extend(key, {
  days: readonlyArray(usageBucket),
  hours: readonlyArray(usageBucket),
  refusedAfterEnd: z.number(),
  /** Clients that used the key. */
  callers: readonlyArray(caller),
  /** Clients that were rejected after the key had ended. */
  rejectedCallers: readonlyArray(caller),
});
export type KeyUsageDetail = z.output<typeof keyDetail>;

export const listKeys = defineRoute({
  method: 'GET',
  path: '/keys',
  roles: ['admin'],
  input: z.object({ view: z.optional(z.enum(keyViews)), tenantId: z.optional(z.string()) }),
  output: z.object({ counts: z.record(z.enum(keyViews), z.number()), keys: readonlyArray(key) }),
});
export type KeyList = z.output<(typeof listKeys)['output']>;

export const readKey = defineRoute({
  method: 'GET',
  path: '/keys/:id',
  roles: ['admin'],
  input: z.object({ id: z.string() }),
  /** `replaced`: the key whose place it took. */
  output: z.object({ key: keyDetail, replaced: z.nullable(keyDetail) }),
});
export type KeyDetail = z.output<(typeof readKey)['output']>;

export const createKey = defineRoute({
  method: 'POST',
  path: '/keys',
  roles: ['admin'],
  input: z.strictObject({
    name: z.string().check(z.trim(), z.minLength(1, 'name what uses the key, and where'), z.maxLength(maxNameLength)),
    tenantId: z.nullable(z.guid()),
    scopes: z.array(z.string()).check(z.maxLength(maxScopes)),
    /** A time; null: never. */
    expiresAt: nullableString,
    replaces: z.optional(z.guid()),
    /** When the key that is replaced ends; left out: when it is revoked. */
    oldKeyEndsAt: z.optional(z.string()),
  }),
  output: z.object({
    key: keyDetail,
    /** Returned here and nowhere else. */
    secret: z.string(),
    /** What the API reports that the key sees; null: it did not respond. */
    test: z.nullable(
      z.object({ status: z.number(), scopes: readonlyArray(z.string()), tenants: readonlyArray(z.string()) }),
    ),
  }),
  /** A key that reads everything: of the organization, or of one tenant. */
  requiresReauthentication: ({ tenantId, scopes }) =>
    tenantId === null || expandScopes(scopes).size === everyScope.length,
});
export type CreatedKey = z.output<(typeof createKey)['output']>;

export const revokeKey = defineRoute({
  method: 'POST',
  path: '/keys/:id/revoke',
  roles: ['admin'],
  input: idInput,
  output: z.object({ key: keyDetail }),
});

export const changeKey = defineRoute({
  method: 'PATCH',
  path: '/keys/:id',
  roles: ['admin'],
  input: z.strictObject({
    id: z.string(),
    name: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(maxNameLength))),
    expiresAt: z.optional(nullableString),
    /** The key as the member saw it: it is changed only while it is still that. */
    expected: z.optional(z.strictObject({ name: z.string(), expiresAt: nullableString })),
  }),
  output: z.object({ key: keyDetail }),
});
