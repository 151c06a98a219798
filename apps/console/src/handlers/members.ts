import type { AuditedTransaction, ConsoleStore, ListedMember, Member, Session } from '@tenantscope/store/console';
import * as routes from '../../api/members.ts';
import { auditContext } from '../http/audit-context.ts';
import { constraintMessage } from '../http/constraint-message.ts';
import { handle, requireGuid } from '../http/handler.ts';
import { HttpError } from '../http/http-error.ts';

const noMember = 'There is no such member.';

export const listMembers = handle(routes.listMembers, async ({ store, session }) => ({
  members: filterVisible(session, await store.members.list(session.organizationId)),
}));

/** A member of some tenants sees who else is assigned to them, and of those members' tenants only the common ones. */
function filterVisible(
  { hasEveryTenant, tenants }: Session,
  members: readonly ListedMember[],
): readonly ListedMember[] {
  if (hasEveryTenant) return members;
  const visible = new Set(tenants.map(({ id }) => id));
  return members
    .map((member) => ({ ...member, tenantIds: member.tenantIds?.filter((id) => visible.has(id)) ?? null }))
    .filter(({ tenantIds }) => tenantIds === null || tenantIds.length > 0);
}

export const changeMember = handle(routes.changeMember, async ({ store, session, input, request }) => {
  const { id: _, ...update } = input;
  const id = requireGuid(input.id, noMember);
  if (!session.hasEveryTenant)
    throw new HttpError('FORBIDDEN', 'Only members who see the whole organization may change roles.');
  const before = await store.members.findById(id);
  if (before?.organizationId !== session.organizationId) throw new HttpError('NOT_FOUND', noMember);
  // Tenants that have left stay in the list of a member, and give access to nothing.
  const assignable = new Set([...session.tenants.map((tenant) => tenant.id), ...(before.tenantIds ?? [])]);
  if (update.tenantIds?.some((tenantId) => !assignable.has(tenantId)))
    throw new HttpError('INVALID_PARAMETER', 'tenantIds: one is not a tenant of the organization.');
  if (update.role !== undefined && before.source === 'oidc')
    throw new HttpError('CONFLICT', 'This role comes from groups at the identity provider: change them there.');
  const isLimited = update.disabled || (update.role ?? 'admin') !== 'admin' || (update.tenantIds ?? null) !== null;
  if (isLimited && (await isLastAdmin(store, before)))
    throw new HttpError(
      'CONFLICT',
      'This is the last administrator of all tenants of the organization: appoint another first.',
    );
  const member = await store.members
    .update(auditContext(session, request), { organizationId: session.organizationId, id }, withoutUndefined(update))
    .catch((error: unknown) => {
      const message = constraintMessage(error);
      throw message === null ? error : new HttpError('CONFLICT', `${message}.`);
    });
  if (member === null)
    throw new HttpError('CONFLICT', 'This member has changed since you opened it. Nothing was changed; reload it.');
  return { member };
});

/** Of all tenants: others cannot change members. As far as it shows now; of two changes at once the database refuses one. */
async function isLastAdmin(store: ConsoleStore, { id, organizationId }: Member): Promise<boolean> {
  const members = await store.members.list(organizationId);
  const admins = members.filter(
    ({ role, disabledAt, tenantIds }) => role === 'admin' && disabledAt === null && tenantIds === null,
  );
  return admins.length === 1 && admins[0]?.id === id;
}

type Defined<Value> = { [Name in keyof Value]: Exclude<Value[Name], undefined> };

const withoutUndefined = <Value extends object>(value: Value): Defined<Value> =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Defined<Value>;

export const endMemberSessions = handle(routes.endMemberSessions, async ({ store, session, input, request }) => {
  const id = requireGuid(input.id, noMember);
  if (!session.hasEveryTenant)
    throw new HttpError('FORBIDDEN', 'Only members who see the whole organization may end sessions of others.');
  if ((await store.members.findById(id))?.organizationId !== session.organizationId)
    throw new HttpError('NOT_FOUND', noMember);
  const ended = await store.transaction(auditContext(session, request), (transaction) =>
    endAllSessions(store, transaction, { organizationId: session.organizationId, memberId: id }),
  );
  return { ended };
});

/** Ends all sessions of a member, except one, with an event; returns how many there were. */
export async function endAllSessions(
  store: ConsoleStore,
  transaction: AuditedTransaction,
  { organizationId, memberId }: Pick<Session, 'organizationId' | 'memberId'>,
  exceptId?: string,
): Promise<number> {
  const sessions = await store.sessions.endAll(transaction, memberId, exceptId);
  if (sessions > 0) await recordEndedSessions(store, transaction, { organizationId, memberId }, sessions);
  return sessions;
}

export const recordEndedSessions = (
  store: ConsoleStore,
  transaction: AuditedTransaction,
  { organizationId, memberId }: Pick<Session, 'organizationId' | 'memberId'>,
  sessions: number,
) =>
  store.recordEvent(transaction, {
    organizationId,
    action: 'ended',
    memberId,
    subjectType: 'session',
    details: { sessions },
  });
