import { roles } from '@tenantscope/store';
import { everybody, route } from '../route.ts';

/** Whom to ask for what one may not do oneself: the people of the roles above one's own, by name and nothing else. */
export const listOpeners = route({
  method: 'GET',
  path: '/openers',
  roles: everybody,
  async answer({ store, session }) {
    const above = new Set(roles.slice(0, roles.indexOf(session.role)));
    const people = await store.people.list(session.organizationId);
    return {
      openers: people
        .filter(({ role, disabledAt }) => above.has(role) && disabledAt === null)
        .map(({ name, role }) => ({ name, role })),
    };
  },
});
