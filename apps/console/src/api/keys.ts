import { scopes as everyScope, grantableScopes, parseTime } from '@tenantscope/contract';
import { type ConsoleStore, keyTestAgent, type Session, type UsedKey, type UsedKeyDetail } from '@tenantscope/store';
import { z } from 'zod';
import { actingIn } from '../acting.ts';
import type { Console } from '../console.ts';
import { Refusal } from '../refusal.ts';
import { guidOf, route } from '../route.ts';

const dayMs = 86_400_000;
const expiringMs = 30 * dayMs;
const unusedMs = 30 * dayMs;
const nameMax = 100;

const views = {
  active: (key: UsedKey) => key.kind === 'api' && !hasEnded(key),
  expiring: (key: UsedKey) =>
    key.kind === 'api' &&
    !hasEnded(key) &&
    key.expiresAt !== null &&
    Date.parse(key.expiresAt) - Date.now() < expiringMs,
  unused: (key: UsedKey) =>
    key.kind === 'api' && !hasEnded(key) && Date.now() - Date.parse(key.lastUsedAt ?? key.createdAt) > unusedMs,
  ended: (key: UsedKey) => key.kind === 'api' && hasEnded(key),
  playground: (key: UsedKey) => key.kind === 'playground',
};
type View = keyof typeof views;

const hasEnded = (key: UsedKey): boolean =>
  key.revokedAt !== null || (key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now());

export const listKeys = route({
  method: 'GET',
  path: '/keys',
  roles: ['admin'],
  async answer({ store, session, parameters }) {
    const view = (parameters.view ?? 'active') as View;
    if (!Object.hasOwn(views, view))
      throw new Refusal('INVALID_PARAMETER', `There is no view ${view}; there are ${Object.keys(views).join(', ')}.`);
    const keys = visibleKeys(session, await store.keys.list(session.organizationId)).filter(
      readsOf(parameters.tenantId),
    );
    const counts = Object.fromEntries(Object.entries(views).map(([name, isIn]) => [name, keys.filter(isIn).length]));
    return { counts, keys: keys.filter(views[view]) };
  },
});

/** Keys of the whole organization read each tenant of it. */
const readsOf =
  (wanted: string | undefined) =>
  ({ tenantId }: UsedKey): boolean =>
    !wanted || tenantId === null || tenantId === wanted;

/** Whoever may look at some tenants only sees their keys, and none of the whole organization; nor are those named by what took their place. */
function visibleKeys(session: Session, keys: readonly UsedKey[]): readonly UsedKey[] {
  if (session.hasEveryTenant) return keys;
  const visible = keys.filter((key) => isVisible(session, key));
  const ids = new Set(visible.map(({ id }) => id));
  const seen = (id: string | null) => (id !== null && ids.has(id) ? id : null);
  return visible.map((key) => ({ ...key, replaces: seen(key.replaces), replacedBy: seen(key.replacedBy) }));
}

const isVisible = (session: Session, { tenantId }: UsedKey): boolean =>
  session.hasEveryTenant || session.tenants.some(({ id }) => id === tenantId);

/** Null: the organization has no such key, or none that this person may look at. */
export async function findKey(store: ConsoleStore, session: Session, id: string): Promise<UsedKeyDetail | null> {
  const key = await store.keys.show(session.organizationId, id);
  return key !== null && isVisible(session, key) ? key : null;
}

export const showKey = route({
  method: 'GET',
  path: '/keys/:id',
  roles: ['admin'],
  async answer({ store, session, parameters }) {
    const key = await findKey(store, session, idOf(parameters));
    if (key === null) throw noSuchKey();
    const [replaced, replacing] = await Promise.all(
      [key.replaces, key.replacedBy].map((id) => (id === null ? null : findKey(store, session, id))),
    );
    return { key: { ...key, replaces: replaced?.id ?? null, replacedBy: replacing?.id ?? null }, replaced };
  },
});

const noKey = 'There is no such key.';
const noSuchKey = () => new Refusal('NOT_FOUND', noKey);
const idOf = (parameters: Readonly<Record<string, string>>) => guidOf(parameters, noKey);

const newKey = z.strictObject({
  name: z.string().trim().min(1, 'say what uses the key, and where').max(nameMax),
  tenantId: z.guid().nullable(),
  scopes: z.array(z.enum(grantableScopes as [string, ...string[]])).max(everyScope.length + 1),
  expiresAt: time().nullable(),
  replaces: z.guid().optional(),
  /** When the key that is replaced ends; left out: when somebody revokes it. */
  oldKeyEndsAt: time().optional(),
});

export const createKey = route({
  method: 'POST',
  path: '/keys',
  roles: ['admin'],
  body: newKey,
  isDangerous: ({ tenantId }) => tenantId === null,
  async answer({ console, store, session, body, request }) {
    const { name, tenantId, scopes, expiresAt, replaces = null, oldKeyEndsAt } = body;
    if (tenantId === null ? !session.hasEveryTenant : !session.tenants.some(({ id }) => id === tenantId))
      throw new Refusal('INVALID_PARAMETER', 'tenantId: name a tenant that you may look at.', [
        { parameter: 'tenantId', reason: 'is none of your tenants' },
      ]);
    if (expiresAt !== null && expiresAt.getTime() <= Date.now()) throw isPast('expiresAt');
    if (oldKeyEndsAt !== undefined && oldKeyEndsAt.getTime() <= Date.now()) throw isPast('oldKeyEndsAt');
    requireShort(session, expiresAt, Date.now());
    if (replaces !== null && (await findKey(store, session, replaces)) === null) throw noSuchKey();
    const by = actingIn(session, request);
    const { organizationId } = session;
    const made = await refusedByDatabase(() =>
      store.change(by, async (transaction) => {
        const key = await store.keys.make(transaction, {
          name,
          scopes: [...new Set(scopes)],
          tenantId,
          organizationId,
          expiresAt,
          createdBy: by.actor,
          replaces,
          kind: 'api',
        });
        if (replaces !== null && oldKeyEndsAt !== undefined)
          await store.keys.endBy(transaction, organizationId, replaces, oldKeyEndsAt);
        return key;
      }),
    );
    if (made === null) throw noSuchKey();
    return {
      key: await store.keys.show(organizationId, made.id),
      secret: made.secret,
      test: await testOf(console, made.secret),
    };
  },
});

/** What the new key sees: the api's own words, asked while the secret is still in memory. */
interface KeyTest {
  readonly status: number;
  readonly scopes: readonly string[];
  readonly tenants: readonly string[];
}

const testTimeoutMs = 5_000;
const pinged = z.object({ data: z.object({ scopes: z.array(z.string()) }) });
const listed = z.object({ data: z.array(z.object({ name: z.string() })) });

async function testOf({ api }: Console, secret: string): Promise<KeyTest | null> {
  const asks = (path: string) =>
    fetch(`${api.url}${path}`, {
      headers: { Authorization: `Bearer ${secret}`, 'User-Agent': keyTestAgent },
      signal: AbortSignal.timeout(testTimeoutMs),
    });
  try {
    const [ping, tenants] = await Promise.all([asks('/ping'), asks('/tenants')]);
    if (!ping.ok || !tenants.ok) return { status: ping.ok ? tenants.status : ping.status, scopes: [], tenants: [] };
    const { scopes } = pinged.parse(await ping.json()).data;
    const { data } = listed.parse(await tenants.json());
    return { status: ping.status, scopes, tenants: data.map(({ name }) => name) };
  } catch {
    return null;
  }
}

export const revokeKey = route({
  method: 'POST',
  path: '/keys/:id/revoke',
  roles: ['admin'],
  body: z.strictObject({}),
  async answer({ store, session, parameters, request }) {
    const id = idOf(parameters);
    if ((await findKey(store, session, id)) === null) throw noSuchKey();
    await store.change(actingIn(session, request), (transaction) =>
      store.keys.end(transaction, session.organizationId, id),
    );
    return { key: await store.keys.show(session.organizationId, id) };
  },
});

export const changeKey = route({
  method: 'PATCH',
  path: '/keys/:id',
  roles: ['admin'],
  body: z.strictObject({
    name: z.string().trim().min(1).max(nameMax).optional(),
    expiresAt: time().nullable().optional(),
    /** What the key was when it was looked at: it is changed only while it is still that. */
    was: z.strictObject({ name: z.string(), expiresAt: time().nullable() }).optional(),
  }),
  async answer({ store, session, parameters, body, request }) {
    const id = idOf(parameters);
    const before = await findKey(store, session, id);
    if (before === null) throw noSuchKey();
    if (body.expiresAt !== undefined) {
      if (before.kind === 'playground') throw new Refusal('CONFLICT', 'A key of the playground ends by itself.');
      if (hasEnded(before) && body.was === undefined)
        throw new Refusal('CONFLICT', 'A key that has ended does not come back.');
      requireShort(session, body.expiresAt, Date.parse(before.createdAt));
    }
    if (body.expiresAt && body.expiresAt.getTime() <= Date.now()) throw isPast('expiresAt');
    const isChanged = await refusedByDatabase(() =>
      store.change(actingIn(session, request), (transaction) =>
        store.keys.change(transaction, session.organizationId, id, body),
      ),
    );
    const key = await store.keys.show(session.organizationId, id);
    if (!isChanged && key !== null) throw hasChanged(key);
    return { key };
  },
});

const hasChanged = ({ name, expiresAt, revokedAt }: UsedKey) => {
  const end = revokedAt !== null ? 'is revoked' : expiresAt === null ? 'never ends' : `ends at ${expiresAt}`;
  return new Refusal(
    'CONFLICT',
    `Somebody changed this key meanwhile: it is «${name}» now and ${end}. Nothing was changed.`,
  );
};

function time() {
  return z
    .string()
    .refine((text) => parseTime(text) !== null, 'is not a time')
    .transform((text) => new Date(parseTime(text) ?? Number.NaN));
}

const isPast = (parameter: string) =>
  new Refusal('INVALID_PARAMETER', `${parameter} is past.`, [{ parameter, reason: 'is past' }]);

/** How long a key may live at most in the organization; the database looks again. */
function requireShort({ keyLifetimeDays: days }: Session, expiresAt: Date | null, createdAtMs: number): void {
  if (days !== null && (expiresAt === null || expiresAt.getTime() > createdAtMs + days * dayMs))
    throw new Refusal('CONFLICT', `The organization lets a key live at most ${days} days.`);
}

/** The database keeps laws of its own: how long a key may live, and that an ended one stays ended. Its words are fit to be shown. */
async function refusedByDatabase<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      const { code } = cause as { code?: string };
      if (code === '23514' || code === '42501') throw new Refusal('CONFLICT', `${cause.message}.`);
      if (code === '23503') throw noSuchKey();
    }
    throw error;
  }
}
