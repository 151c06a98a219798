import type { AuditContext, ConsoleStore, Session } from '@tenantscope/store/console';

const lifetimeMs = 15 * 60_000;
/** A key about to end is not used any more: the run may take a while. */
const reserveMs = 60_000;
const maxCachedKeys = 1_000;

export interface PlaygroundKeys {
  /** A key that reads one tenant with these scopes, for this member only. Its secret never leaves this process. */
  secretFor(
    session: Session,
    by: AuditContext,
    access: { tenantId: string; scopes: readonly string[] },
  ): Promise<string>;
  /** The API refused the key: the next run gets another one. */
  forget(secret: string): void;
}

interface CachedKey {
  readonly secret: string;
  readonly endsAtMs: number;
}

export function createPlaygroundKeys(store: ConsoleStore): PlaygroundKeys {
  const cache = new Map<string, CachedKey>();
  return {
    async secretFor(session, by, { tenantId, scopes }) {
      const cacheKey = JSON.stringify([session.memberId, tenantId, [...scopes].sort()]);
      const nowMs = Date.now();
      const cached = cache.get(cacheKey);
      if (cached && cached.endsAtMs - reserveMs > nowMs) return cached.secret;
      const endsAtMs = nowMs + lifetimeMs;
      const created = await store.transaction(by, (transaction) =>
        store.keys.create(transaction, {
          name: `Playground of ${session.name}`,
          scopes,
          tenantId,
          organizationId: session.organizationId,
          expiresAt: new Date(endsAtMs),
          createdBy: by.actor,
          replaces: null,
          kind: 'playground',
        }),
      );
      if (created === null) throw new TypeError('a session lists tenants of its organization only');
      for (const [other, { endsAtMs: endMs }] of cache)
        if (endMs < nowMs || cache.size >= maxCachedKeys) cache.delete(other);
      cache.set(cacheKey, { secret: created.secret, endsAtMs });
      return created.secret;
    },
    forget(secret) {
      for (const [name, cached] of cache) if (cached.secret === secret) cache.delete(name);
    },
  };
}
