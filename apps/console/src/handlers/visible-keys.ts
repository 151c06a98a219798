import type { ConsoleStore, KeyUsageDetail, KeyWithUsage, Session } from '@tenantscope/store/console';
import type { KeyView } from '../../api/keys.ts';
import { HttpError } from '../http/http-error.ts';

const dayMs = 86_400_000;
const expiringMs = 30 * dayMs;
const unusedMs = 30 * dayMs;

export const keyFilters: Readonly<Record<KeyView, (key: KeyWithUsage) => boolean>> = {
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

export const hasEnded = (key: KeyWithUsage): boolean =>
  key.revokedAt !== null || (key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now());

/** A member of some tenants sees their keys only, and none of the whole organization; nor the ids of those as replacements. */
export function filterVisibleKeys(session: Session, keys: readonly KeyWithUsage[]): readonly KeyWithUsage[] {
  if (session.hasEveryTenant) return keys;
  const visible = keys.filter((key) => isVisible(session, key));
  const ids = new Set(visible.map(({ id }) => id));
  const visibleId = (id: string | null) => (id !== null && ids.has(id) ? id : null);
  return visible.map((key) => ({
    ...key,
    replaces: visibleId(key.replaces),
    replacedBy: visibleId(key.replacedBy),
  }));
}

const isVisible = (session: Session, { tenantId }: KeyWithUsage): boolean =>
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
