import * as z from 'zod/mini';
import {
  chosenTenantIds,
  defineRoute,
  idInput,
  noOutput,
  noParameters,
  nullableString,
  readonlyArray,
  roles,
  tenantListMaxBytes,
} from './route.ts';

const invitation = z.object({
  id: z.string(),
  /** For whom. */
  name: nullableString,
  role: z.enum(roles),
  /** Null: every tenant of the organization. */
  tenantIds: z.nullable(readonlyArray(z.string())),
  state: z.enum(['valid', 'used', 'revoked', 'expired']),
  createdBy: z.string(),
  createdAt: z.string(),
  expiresAt: z.string(),
});
export type Invitation = z.output<typeof invitation>;

/** Invitations that are valid, or ended in the last days; for members who see the whole organization. */
export const listInvitations = defineRoute({
  method: 'GET',
  path: '/invitations',
  roles: ['admin'],
  input: noParameters,
  output: z.object({ invitations: readonlyArray(invitation) }),
});

/** Creates a link for one local account, with a role and tenants. */
export const inviteMember = defineRoute({
  method: 'POST',
  path: '/invitations',
  roles: ['admin'],
  input: z.strictObject({
    name: z.string().check(z.trim(), z.minLength(1), z.maxLength(100)),
    role: z.enum(roles),
    tenantIds: z.nullable(chosenTenantIds),
  }),
  /** The link is returned here and nowhere else. */
  output: z.object({ id: z.string(), link: z.string(), expiresAt: z.string() }),
  bodyMaxBytes: tenantListMaxBytes,
  requiresReauthentication: () => true,
});
export type CreatedInvitation = z.output<(typeof inviteMember)['output']>;

export const revokeInvitation = defineRoute({
  method: 'POST',
  path: '/invitations/:id/revoke',
  roles: ['admin'],
  input: idInput,
  output: noOutput,
});
