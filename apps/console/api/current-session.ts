import * as z from 'zod/mini';
import { defineRoute, noOutput, noParameters, nullableNumber, nullableString, readonlyArray, roles } from './route.ts';

const currentSession = z.object({
  member: z.object({
    id: z.string(),
    name: z.string(),
    email: nullableString,
    role: z.enum(roles),
    source: z.enum(['oidc', 'local', 'demo']),
    /** Whether the member sees the whole organization, not some tenants of it. */
    hasEveryTenant: z.boolean(),
  }),
  session: z.object({ id: z.string(), authenticatedAt: z.string(), endsAt: z.string() }),
  organization: z.object({ id: z.string(), name: z.string(), keyLifetimeDays: nullableNumber }),
  tenants: readonlyArray(z.object({ id: z.string(), name: z.string(), azureTenantId: nullableString })),
  api: z.object({ baseUrl: z.string(), mcpUrl: z.string() }),
  demo: z.boolean(),
});
export type CurrentSession = z.output<typeof currentSession>;

/** Who is signed in, and what the frame of every screen shows. */
export const readCurrentSession = defineRoute({
  method: 'GET',
  path: '/me',
  roles,
  input: noParameters,
  output: currentSession,
});

/** Authenticates the member of a session again. Single sign-on does so through its own redirect. */
export const reauthenticate = defineRoute({
  method: 'POST',
  path: '/reauthenticate',
  roles,
  input: z.union([
    z.strictObject({
      password: z.string().check(z.minLength(1), z.maxLength(1_024)),
      second: z.string().check(z.trim(), z.minLength(1), z.maxLength(64)),
    }),
    z.strictObject({ passkey: z.looseObject({}) }),
    z.strictObject({ demo: z.literal(true) }),
  ]),
  output: noOutput,
});

const ownSession = z.object({
  id: z.string(),
  createdAt: z.string(),
  seenAt: z.string(),
  endsAt: z.string(),
  address: nullableString,
  agent: nullableString,
  /** Whether it is the session of this request. */
  isThis: z.boolean(),
});
export type OwnSession = z.output<typeof ownSession>;

/** The member's own sessions. */
export const listSessions = defineRoute({
  method: 'GET',
  path: '/sessions',
  roles,
  input: noParameters,
  output: z.object({ sessions: readonlyArray(ownSession) }),
});

export const endSession = defineRoute({
  method: 'POST',
  path: '/sessions/:id/end',
  roles,
  input: z.strictObject({ id: z.string() }),
  output: noOutput,
});

/** Members of the roles above one's own, by name only: whom to ask for access. */
export const listRoleContacts = defineRoute({
  method: 'GET',
  path: '/role-contacts',
  roles,
  input: noParameters,
  output: z.object({ contacts: readonlyArray(z.object({ name: z.string(), role: z.enum(roles) })) }),
});
export type RoleContact = z.output<(typeof listRoleContacts)['output']>['contacts'][number];
