import { dayMs } from '@tenantscope/contract';
import type { ConsoleStore, KeyUsageDetail, ListedKey, Session } from '@tenantscope/store/console';
import type { KeyView } from '../../api/keys.ts';
import { HttpError } from '../http/http-error.ts';

const expiringMs = 30 * dayMs;
const unusedMs = 30 * dayMs;

export const keyFilters: Readonly<Record<KeyView, (key: ListedKey) => boolean>> = {
  active: (key) => key.kind === 'api' && !hasEnded(key),
  expiring: (key) =>
    key.kind === 'api' &&
    !hasEnded(key) &&
    key.expiresAt !== null &&
    Date.parse(key.expiresAt) - Date.now() < expiringMs,
  unused: (key) =>
    key.kind === 'api' && !hasEnded(key) && Date.now() - Date.parse(key.lastUsedAt ?? key.createdAt) > unusedMs,
  ended: (key) => key.kind === 'api' && hasEnded(key),
  playground: (key) => key.kind === 'playground',
};

export const hasEnded = (key: ListedKey): boolean =>
  key.revokedAt !== null || (key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now());

/** The keys of the organization, newest first. A member of some tenants sees their keys only, and none of the whole organization. */
export async function listVisibleKeys(store: ConsoleStore, session: Session): Promise<readonly ListedKey[]> {
  const keys = await store.keys.list(session.organizationId);
  const tenantIds = new Set(session.tenants.map(({ id }) => id));
  return session.hasEveryTenant ? keys : keys.filter(({ tenantId }) => tenantId !== null && tenantIds.has(tenantId));
}

const isVisible = (session: Session, { tenantId }: ListedKey): boolean =>
  session.hasEveryTenant || session.tenants.some(({ id }) => id === tenantId);

/** Null: the organization has no such key, or none that this member may see. */
export async function findKey(store: ConsoleStore, session: Session, id: string): Promise<KeyUsageDetail | null> {
  const key = await store.keys.read(session.organizationId, id);
  return key !== null && isVisible(session, key) ? key : null;
}

export const noKey = 'There is no such key.';

/** Throws NOT_FOUND for null. */
export function requireKey<Key>(key: Key | null): Key {
  if (key === null) throw new HttpError('NOT_FOUND', noKey);
  return key;
}
