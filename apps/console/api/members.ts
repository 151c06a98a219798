import * as z from 'zod/mini';
import {
  chosenTenantIds,
  defineRoute,
  idInput,
  noParameters,
  nullableString,
  readonlyArray,
  roles,
  tenantIdList,
  tenantListMaxBytes,
} from './route.ts';

const member = z.object({
  id: z.string(),
  name: z.string(),
  email: nullableString,
  source: z.enum(['oidc', 'local', 'demo']),
  role: z.enum(roles),
  /** Null: every tenant of the organization. */
  tenantIds: z.nullable(readonlyArray(z.string())),
  disabledAt: nullableString,
  createdAt: z.string(),
  lastSignedInAt: nullableString,
});

const listedMember = z.extend(member, {
  /** Kinds of credentials. */
  credentials: readonlyArray(z.string()),
  /** Active sessions. */
  sessions: z.number(),
});
export type ListedMember = z.output<typeof listedMember>;

export const listMembers = defineRoute({
  method: 'GET',
  path: '/members',
  roles: ['admin'],
  input: noParameters,
  output: z.object({ members: readonlyArray(listedMember) }),
});

export const changeMember = defineRoute({
  method: 'POST',
  path: '/members/:id',
  roles: ['admin'],
  input: z.strictObject({
    id: z.string(),
    role: z.optional(z.enum(roles)),
    tenantIds: z.optional(z.nullable(chosenTenantIds)),
    disabled: z.optional(z.boolean()),
    /** The member as seen before: it is changed only while it is still that. */
    expected: z.optional(
      z.strictObject({ role: z.enum(roles), tenantIds: z.nullable(tenantIdList), disabled: z.boolean() }),
    ),
  }),
  output: z.object({ member }),
  bodyMaxBytes: tenantListMaxBytes,
  requiresReauthentication: () => true,
});

/** Signs a member out everywhere. */
export const endMemberSessions = defineRoute({
  method: 'POST',
  path: '/members/:id/end-sessions',
  roles: ['admin'],
  input: idInput,
  /** How many sessions ended. */
  output: z.object({ ended: z.number() }),
});
