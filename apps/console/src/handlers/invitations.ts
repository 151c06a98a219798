import type { Session } from '@tenantscope/store/console';
import * as routes from '../../api/invitations.ts';
import { auditContext } from '../http/audit-context.ts';
import { handle, requireGuid } from '../http/handler.ts';
import { HttpError } from '../http/http-error.ts';
import { requireLocalSignIn } from '../sign-in/local-account.ts';

const noInvitation = 'There is no such invitation that can still be used.';

export const listInvitations = handle(routes.listInvitations, async ({ store, session }) => ({
  invitations: session.hasEveryTenant ? await store.setUpTokens.listInvitations(session.organizationId) : [],
}));

export const inviteMember = handle(routes.inviteMember, async ({ console, store, session, input, request }) => {
  requireLocalSignIn(console);
  requireEveryTenant(session);
  const { name, role, tenantIds } = input;
  const own = new Set(session.tenants.map(({ id }) => id));
  if (tenantIds?.some((id) => !own.has(id)))
    throw new HttpError('INVALID_PARAMETER', 'tenantIds: one is not a tenant of the organization.');
  const { organizationId } = session;
  const { id, token, expiresAt } = await store.transaction(auditContext(session, request), (transaction) =>
    store.setUpTokens.invite(transaction, { organizationId, name, role, tenantIds }),
  );
  return { id, link: `${console.origin}/console/set-up#${token}`, expiresAt };
});

export const revokeInvitation = handle(routes.revokeInvitation, async ({ store, session, input, request }) => {
  const id = requireGuid(input.id, noInvitation);
  requireEveryTenant(session);
  const isRevoked = await store.transaction(auditContext(session, request), (transaction) =>
    store.setUpTokens.revokeInvitation(transaction, session.organizationId, id),
  );
  if (!isRevoked) throw new HttpError('NOT_FOUND', noInvitation);
  return {};
});

function requireEveryTenant({ hasEveryTenant }: Session): void {
  if (!hasEveryTenant)
    throw new HttpError('FORBIDDEN', 'Only members who see the whole organization may invite members.');
}
