import { dayMs, grantableScopes } from '@tenantscope/contract';
import type { ListedKey, Session } from '@tenantscope/store/console';
import type * as z from 'zod/mini';
import * as routes from '../../api/keys.ts';
import { auditContext } from '../http/audit-context.ts';
import { handle, requireGuid } from '../http/handler.ts';
import { HttpError } from '../http/http-error.ts';
import { invalidParameter, parseInstant } from '../http/parse-instant.ts';
import { testKey } from './test-key.ts';
import { findKey, hasEnded, keyFilters, listVisibleKeys, noKey, requireKey } from './visible-keys.ts';

const pageSize = 100;

export const listKeys = handle(routes.listKeys, async ({ store, session, input }) => {
  const { view = 'active', tenantId: requestedTenant, cursor } = input;
  const isAfter = cursor ? parseCursor(cursor) : () => true;
  // Keys of the whole organization read each tenant of it.
  const keys = (await listVisibleKeys(store, session)).filter(
    ({ tenantId }) => !requestedTenant || tenantId === null || tenantId === requestedTenant,
  );
  const found = keys.filter((key) => keyFilters[view](key) && matchesText(key, input) && isAfter(key));
  const page = found.slice(0, pageSize);
  const days = await store.keys.usedDays(page.map(({ id }) => id));
  const last = page.at(-1);
  const count = (name: routes.KeyView) => keys.filter(keyFilters[name]).length;
  return {
    counts: {
      active: count('active'),
      expiring: count('expiring'),
      unused: count('unused'),
      ended: count('ended'),
      playground: count('playground'),
    },
    keys: page.map((key) => ({ ...key, days: days.get(key.id) ?? [] })),
    nextCursor: last !== undefined && found.length > pageSize ? `${last.createdAt},${last.id}` : null,
  };
});

/** Whether a key follows the last one of the previous page. */
function parseCursor(cursor: string): (key: ListedKey) => boolean {
  const [, createdAt, lastId] = /^([\d:.TZ-]{24}),([\da-f-]{36})$/.exec(cursor) ?? [];
  if (createdAt === undefined || lastId === undefined) throw invalidParameter('cursor', 'take it from a page');
  return (key) => key.createdAt < createdAt || (key.createdAt === createdAt && key.id > lastId);
}

type ListFilter = Pick<z.output<(typeof routes.listKeys)['input']>, 'filter' | 'organizationLabel'>;

function matchesText(key: ListedKey, { filter = '', organizationLabel = '' }: ListFilter): boolean {
  const text = filter.trim().toLowerCase();
  return [key.name, routes.formatKeyId(key), key.id, key.tenantName ?? organizationLabel, ...key.scopes].some((one) =>
    one.toLowerCase().includes(text),
  );
}

export const listKeyNames = handle(routes.listKeyNames, async ({ store, session }) => ({
  keys: (await listVisibleKeys(store, session))
    .filter(({ kind }) => kind === 'api')
    .map((key) => ({ ...key, hasEnded: hasEnded(key) })),
}));

export const readKey = handle(routes.readKey, async ({ store, session, input }) => {
  const key = requireKey(await findKey(store, session, requireGuid(input.id, noKey)));
  const [replaced = null, replacement = null] = await Promise.all(
    [key.replaces, key.replacedBy].map((id) => (id === null ? null : findKey(store, session, id))),
  );
  return { key: { ...key, replaces: replaced?.id ?? null, replacedBy: replacement?.id ?? null }, replaced };
});

export const createKey = handle(routes.createKey, async ({ console, store, session, input, request }) => {
  const { name, tenantId, replaces = null } = input;
  const scopes = [...new Set(input.scopes)];
  const unknown = scopes.find((scope) => !grantableScopes.includes(scope));
  if (unknown !== undefined) throw invalidParameter('scopes', `there is no scope ${unknown}`);
  if (tenantId === null ? !session.hasEveryTenant : !session.tenants.some(({ id }) => id === tenantId))
    throw invalidParameter('tenantId', 'is not one of your tenants');
  const expiresAt = parseExpiry(input.expiresAt, 'expiresAt');
  const oldKeyEndsAt = input.oldKeyEndsAt === undefined ? null : parseExpiry(input.oldKeyEndsAt, 'oldKeyEndsAt');
  requireAllowedLifetime(session, expiresAt, Date.now());
  if (replaces !== null) requireKey(await findKey(store, session, replaces));
  const by = auditContext(session, request);
  const { organizationId } = session;
  const created = await withConstraintErrors(() =>
    store.transaction(by, async (transaction) => {
      const key = await store.keys.create(transaction, {
        name,
        scopes,
        tenantId,
        organizationId,
        expiresAt,
        createdBy: by.actor,
        replaces,
        kind: 'api',
      });
      if (replaces !== null && oldKeyEndsAt !== null)
        await store.keys.limitExpiry(transaction, organizationId, replaces, oldKeyEndsAt);
      return key;
    }),
  );
  const { id, secret } = requireKey(created);
  return {
    key: requireKey(await store.keys.read(organizationId, id)),
    secret,
    test: await testKey(console, secret),
  };
});

export const revokeKey = handle(routes.revokeKey, async ({ store, session, input, request }) => {
  const id = requireGuid(input.id, noKey);
  requireKey(await findKey(store, session, id));
  await store.transaction(auditContext(session, request), (transaction) =>
    store.keys.revoke(transaction, session.organizationId, id),
  );
  return { key: requireKey(await store.keys.read(session.organizationId, id)) };
});

export const changeKey = handle(routes.changeKey, async ({ store, session, input, request }) => {
  const { name, expected } = input;
  const id = requireGuid(input.id, noKey);
  const before = requireKey(await findKey(store, session, id));
  const expiresAt = input.expiresAt === undefined ? undefined : parseTime(input.expiresAt, 'expiresAt');
  if (expiresAt !== undefined) {
    if (before.kind === 'playground')
      throw new HttpError('CONFLICT', 'The expiry of a playground key cannot be changed.');
    if (hasEnded(before) && expected === undefined)
      throw new HttpError('CONFLICT', 'A key that has ended cannot be reactivated.');
    requireAllowedLifetime(session, expiresAt, Date.parse(before.createdAt));
    requireFuture(expiresAt, 'expiresAt');
  }
  const isChanged = await withConstraintErrors(() =>
    store.transaction(auditContext(session, request), (transaction) =>
      store.keys.update(transaction, session.organizationId, id, {
        name,
        expiresAt,
        expected: expected && {
          name: expected.name,
          expiresAt: parseTime(expected.expiresAt, 'expected.expiresAt'),
        },
      }),
    ),
  );
  const key = requireKey(await store.keys.read(session.organizationId, id));
  if (!isChanged) throw hasChanged(key);
  return { key };
});

const hasChanged = ({ name, expiresAt, revokedAt }: ListedKey) => {
  const end = revokedAt !== null ? 'is revoked' : expiresAt === null ? 'never expires' : `expires at ${expiresAt}`;
  return new HttpError(
    'CONFLICT',
    `This key has changed since you opened it: it is now "${name}" and ${end}. Nothing was changed.`,
  );
};

const parseTime = (text: string | null, parameter: string): Date | null =>
  text === null ? null : new Date(parseInstant(text, parameter));

function parseExpiry(text: string | null, parameter: string): Date | null {
  const time = parseTime(text, parameter);
  requireFuture(time, parameter);
  return time;
}

function requireFuture(time: Date | null, parameter: string): void {
  if (time !== null && time.getTime() <= Date.now()) throw invalidParameter(parameter, 'is in the past');
}

/** The maximum key lifetime of the organization; the database checks it again. */
function requireAllowedLifetime({ keyLifetimeDays }: Session, expiresAt: Date | null, createdAtMs: number): void {
  if (keyLifetimeDays === null) return;
  if (expiresAt === null || expiresAt.getTime() > createdAtMs + keyLifetimeDays * dayMs)
    throw new HttpError('CONFLICT', `The maximum key lifetime of the organization is ${keyLifetimeDays} days.`);
}

/** The database has rules of its own: how long a key may live, and that an ended one stays ended. Their messages are fit to be shown. */
async function withConstraintErrors<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      const { code } = cause as { code?: string };
      if (code === '23514' || code === '42501') throw new HttpError('CONFLICT', `${cause.message}.`);
      if (code === '23503') throw new HttpError('NOT_FOUND', noKey);
    }
    throw error;
  }
}
