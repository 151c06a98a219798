import { z } from 'zod';
import { actingIn } from '../acting.ts';
import { Refusal } from '../refusal.ts';
import { route } from '../route.ts';

const longestDays = 3_650;

/** How long a key may live at most. Keys that live longer already are not touched; they may not be prolonged. */
export const changeOrganization = route({
  method: 'PATCH',
  path: '/organization',
  roles: ['admin'],
  body: z.strictObject({
    keyLifetimeDays: z.int().min(1).max(longestDays).nullable(),
    /** What it was when it was looked at: it is changed only while it is still that. */
    was: z.int().nullable().optional(),
  }),
  isDangerous: () => true,
  async answer({ store, session, body, request }) {
    if (!session.hasEveryTenant)
      throw new Refusal('FORBIDDEN', 'This is decided by those who see the whole organization.');
    const { organizationId: id, organizationName: name } = session;
    const isChanged = await store.change(actingIn(session, request), (transaction) =>
      store.setKeyLifetime(transaction, id, body.keyLifetimeDays, body.was),
    );
    if (!isChanged) throw new Refusal('CONFLICT', 'Somebody changed this meanwhile. Nothing was changed; look again.');
    return { organization: { id, name, keyLifetimeDays: body.keyLifetimeDays } };
  },
});
