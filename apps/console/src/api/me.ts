import { everybody, route } from '../route.ts';

/** Who is signed in, and what the frame of every screen shows. */
export const me = route({
  method: 'GET',
  path: '/me',
  roles: everybody,
  answer: async ({ console, session }) => ({
    person: {
      id: session.personId,
      name: session.name,
      email: session.email,
      role: session.role,
      source: session.source,
      hasEveryTenant: session.hasEveryTenant,
    },
    session: { id: session.id, authenticatedAt: session.authenticatedAt, endsAt: session.endsAt },
    organization: {
      id: session.organizationId,
      name: session.organizationName,
      keyLifetimeDays: session.keyLifetimeDays,
    },
    tenants: session.tenants,
    api: { baseUrl: console.api.publicUrl, mcpUrl: `${console.api.publicUrl}/mcp` },
    demo: console.demoOrganizationId !== null,
  }),
});
