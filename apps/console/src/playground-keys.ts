import type { Acting, ConsoleStore, Session } from '@tenantscope/store';

/** How long a key of the playground lives. */
export const playgroundMinutes = 15;
/** A key about to end is not used any more: the run may take a while. */
const reserveMs = 60_000;
const heldMax = 1_000;

export interface PlaygroundKeys {
  /** A key that reads one tenant with these scopes, for this person only. Its secret never leaves this process. */
  secretFor(session: Session, by: Acting, wanted: { tenantId: string; scopes: readonly string[] }): Promise<string>;
}

interface Held {
  readonly secret: string;
  readonly endsAtMs: number;
}

export function keepPlaygroundKeys(store: ConsoleStore): PlaygroundKeys {
  const held = new Map<string, Held>();
  return {
    async secretFor(session, by, { tenantId, scopes }) {
      const place = JSON.stringify([session.personId, tenantId, [...scopes].sort()]);
      const nowMs = Date.now();
      const before = held.get(place);
      if (before && before.endsAtMs - reserveMs > nowMs) return before.secret;
      const endsAtMs = nowMs + playgroundMinutes * 60_000;
      const made = await store.change(by, (transaction) =>
        store.keys.make(transaction, {
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
      if (made === null) throw new TypeError('a session shows tenants of its organization only');
      for (const [other, { endsAtMs: endMs }] of held) if (endMs < nowMs || held.size >= heldMax) held.delete(other);
      held.set(place, { secret: made.secret, endsAtMs });
      return made.secret;
    },
  };
}
