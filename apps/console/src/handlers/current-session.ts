import type * as z from 'zod/mini';
import * as routes from '../../api/current-session.ts';
import { roles } from '../../api/route.ts';
import { auditContext } from '../http/audit-context.ts';
import { handle, type RequestContext, requireGuid } from '../http/handler.ts';
import { HttpError } from '../http/http-error.ts';
import { verifyLocalCredentials } from '../sign-in/local-account.ts';
import { verifyPasskey } from '../sign-in/passkey.ts';
import { recordEndedSessions } from './members.ts';

const noSession = 'You have no such session.';

export const readCurrentSession = handle(routes.readCurrentSession, async ({ console, session }) => ({
  member: {
    id: session.memberId,
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
}));

export const reauthenticate = handle(routes.reauthenticate, async (context) => {
  const { store, session, request } = context;
  if ((await verifyReauthentication(context)) !== session.memberId)
    throw new HttpError('SIGN_IN_FAILED', 'These credentials belong to another account. Use your own.');
  await store.transaction(auditContext(session, request), (transaction) =>
    store.sessions.recordAuthentication(transaction, session.id),
  );
  return {};
});

type Reauthentication = RequestContext<z.output<(typeof routes.reauthenticate)['input']>>;

/** The id of the member that the credentials belong to. */
async function verifyReauthentication(context: Reauthentication): Promise<string> {
  const { console, store, session, input, request, reply } = context;
  if ('demo' in input) {
    if (session.source !== 'demo') throw otherMethod();
    return session.memberId;
  }
  if (session.source !== 'local') throw otherMethod();
  if ('passkey' in input) return (await verifyPasskey({ console, request, reply, response: input.passkey })).id;
  const member = await store.members.findById(session.memberId);
  return (await verifyLocalCredentials(console, request, { subject: member?.subject ?? '', ...input })).id;
}

const otherMethod = () => new HttpError('CONFLICT', 'Your account does not authenticate this way.');

export const listSessions = handle(routes.listSessions, async ({ store, session }) => ({
  sessions: (await store.sessions.list(session.memberId)).map((one) => ({ ...one, isThis: one.id === session.id })),
}));

export const endSession = handle(routes.endSession, async ({ store, session, input, request }) => {
  const id = requireGuid(input.id, noSession);
  const hasEnded = await store.transaction(auditContext(session, request), async (transaction) => {
    const isEnded = await store.sessions.end(transaction, session.memberId, id);
    if (isEnded) await recordEndedSessions(store, transaction, session, 1);
    return isEnded;
  });
  if (!hasEnded) throw new HttpError('NOT_FOUND', noSession);
  return {};
});

export const listRoleContacts = handle(routes.listRoleContacts, async ({ store, session }) => {
  const above = new Set(roles.slice(0, roles.indexOf(session.role)));
  const members = await store.members.list(session.organizationId);
  return {
    contacts: members
      .filter(({ role, disabledAt }) => above.has(role) && disabledAt === null)
      .map(({ name, role }) => ({ name, role })),
  };
});
