import { scopes as everyScope, expandScopes } from '@tenantscope/contract/scopes';
import * as z from 'zod/mini';
import { defineRoute, idInput, noParameters, nullableString, readonlyArray } from './route.ts';

const maxNameLength = 100;
const maxFilterLength = 200;
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

const keyName = z.object({
  id: z.string(),
  name: z.string(),
  /** The first characters of the secret. */
  display: z.string(),
  scopes: readonlyArray(z.string()),
  /** Null: every tenant of the organization. */
  tenantName: nullableString,
});

const key = z.extend(keyName, {
  kind: z.enum(['api', 'playground']),
  tenantId: nullableString,
  createdAt: z.string(),
  createdBy: nullableString,
  expiresAt: nullableString,
  revokedAt: nullableString,
  /** The last request with the key while it was valid, whatever the response. */
  lastUsedAt: nullableString,
  requests: z.number(),
  days: readonlyArray(z.object({ at: z.string(), requests: z.number() })),
});
export type Key = z.output<typeof key>;

export const secretPrefix = 'tscope_live_';
/** The characters that distinguish keys follow the prefix of all. */
export const formatKeyId = ({ display }: Pick<Key, 'display'>): string => `${secretPrefix}${display}…`;

const caller = z.object({ address: nullableString, agent: nullableString, lastUsedAt: z.string() });

const keyDetail = z.extend(key, {
  replaces: nullableString,
  replacedBy: nullableString,
  days: readonlyArray(usageBucket),
  hours: readonlyArray(usageBucket),
  refusedAfterEnd: z.number(),
  /** Clients that used the key. */
  callers: readonlyArray(caller),
  /** Clients that were rejected after the key had ended. */
  rejectedCallers: readonlyArray(caller),
});
export type KeyUsageDetail = z.output<typeof keyDetail>;

/** A page of a view, newest first, and how many keys each view has; `filter` narrows the page alone. */
export const listKeys = defineRoute({
  method: 'GET',
  path: '/keys',
  roles: ['admin'],
  input: z.object({
    view: z.optional(z.enum(keyViews)),
    tenantId: z.optional(z.string()),
    /** A part of the name, the id, the first characters, the tenant or a scope, in any case. */
    filter: z.optional(z.string().check(z.maxLength(maxFilterLength))),
    /** What the page shows as the tenant of keys of the whole organization: the filter finds that, too. */
    organizationLabel: z.optional(z.string().check(z.maxLength(maxFilterLength))),
    cursor: z.optional(z.string()),
  }),
  output: z.object({
    counts: z.record(z.enum(keyViews), z.number()),
    keys: readonlyArray(key),
    nextCursor: nullableString,
  }),
});
export type KeyList = z.output<(typeof listKeys)['output']>;

/** Every key except those of the playground, without its use, to choose one by its name. */
export const listKeyNames = defineRoute({
  method: 'GET',
  path: '/key-names',
  roles: ['admin'],
  input: noParameters,
  output: z.object({ keys: readonlyArray(z.extend(keyName, { hasEnded: z.boolean() })) }),
});
export type KeyName = z.output<(typeof listKeyNames)['output']>['keys'][number];

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
