import {
  type Change,
  type ConsoleStore,
  type ListedPerson,
  type Person,
  roles,
  type Session,
} from '@tenantscope/store';
import { z } from 'zod';
import { actingIn } from '../acting.ts';
import { Refusal } from '../refusal.ts';
import { everybody, guidOf, route } from '../route.ts';

export const listPeople = route({
  method: 'GET',
  path: '/people',
  roles: ['admin'],
  answer: async ({ store, session }) => ({
    people: visiblePeople(session, await store.people.list(session.organizationId)),
  }),
});

/** Whoever looks at some tenants sees who else does, and of theirs only the tenants that both look at. */
function visiblePeople({ hasEveryTenant, tenants }: Session, people: readonly ListedPerson[]): readonly ListedPerson[] {
  if (hasEveryTenant) return people;
  const visible = new Set(tenants.map(({ id }) => id));
  return people
    .map((person) => ({ ...person, tenantIds: person.tenantIds?.filter((id) => visible.has(id)) ?? null }))
    .filter(({ tenantIds }) => tenantIds === null || tenantIds.length > 0);
}

export const changePerson = route({
  method: 'POST',
  path: '/people/:id',
  roles: ['admin'],
  body: z.strictObject({
    role: z.enum(roles).optional(),
    tenantIds: z.array(z.guid()).max(10_000).nullable().optional(),
    disabled: z.boolean().optional(),
    /** What the person was when it was looked at: it is changed only while it is still that. */
    was: z
      .strictObject({ role: z.enum(roles), tenantIds: z.array(z.guid()).nullable(), disabled: z.boolean() })
      .optional(),
  }),
  isDangerous: () => true,
  async answer({ store, session, parameters, body, request }) {
    const id = guidOf(parameters, noPerson);
    const known = new Set(session.tenants.map((tenant) => tenant.id));
    if (!session.hasEveryTenant)
      throw new Refusal('FORBIDDEN', 'Roles are given by those who see the whole organization.');
    if (body.tenantIds?.some((tenantId) => !known.has(tenantId)))
      throw new Refusal('INVALID_PARAMETER', 'tenantIds: one is none of the organization’s tenants.');
    const before = await store.people.findById(id);
    if (before?.organizationId !== session.organizationId) throw noSuchPerson();
    if (body.role !== undefined && before.source === 'oidc')
      throw new Refusal('CONFLICT', 'This role comes from groups at the identity provider: change them there.');
    if ((body.disabled || (body.role ?? 'admin') !== 'admin') && (await isLastAdmin(store, before)))
      throw new Refusal('CONFLICT', 'The last administrator of an organization stays one: make another first.');
    const wanted = {
      ...(body.role === undefined ? {} : { role: body.role }),
      ...(body.tenantIds === undefined ? {} : { tenantIds: body.tenantIds }),
      ...(body.disabled === undefined ? {} : { disabled: body.disabled }),
      ...(body.was === undefined ? {} : { was: body.was }),
    };
    const person = await store.people
      .change(actingIn(session, request), { organizationId: session.organizationId, id }, wanted)
      .catch((error: unknown) => {
        throw lastAdmin(error) ?? error;
      });
    if (person === null)
      throw new Refusal('CONFLICT', 'Somebody changed this person meanwhile. Nothing was changed; look again.');
    return { person };
  },
});

/** Signs somebody out everywhere: what is lost or taken must not go on. */
export const endSessions = route({
  method: 'POST',
  path: '/people/:id/end-sessions',
  roles: ['admin'],
  body: z.strictObject({}),
  async answer({ store, session, parameters, request }) {
    const id = guidOf(parameters, noPerson);
    if (!session.hasEveryTenant)
      throw new Refusal('FORBIDDEN', 'Sessions of others are ended by those who see the whole organization.');
    if ((await store.people.findById(id))?.organizationId !== session.organizationId) throw noSuchPerson();
    const ended = await store.change(actingIn(session, request), async (transaction) => {
      const sessions = await store.sessions.endAll(transaction, id);
      if (sessions > 0) await noteEnd(store, transaction, session, id, sessions);
      return sessions;
    });
    return { ended };
  },
});

const noteEnd = (store: ConsoleStore, transaction: Change, { organizationId }: Session, id: string, sessions: number) =>
  store.note(transaction, {
    organizationId,
    act: 'ended',
    personId: id,
    subjectType: 'session',
    details: { sessions },
  });

/** As far as shows now; of two at once the database refuses one. */
async function isLastAdmin(store: ConsoleStore, { id, organizationId }: Person): Promise<boolean> {
  const people = await store.people.list(organizationId);
  const admins = people.filter(({ role, disabledAt }) => role === 'admin' && disabledAt === null);
  return admins.length === 1 && admins[0]?.id === id;
}

const noPerson = 'There is no such person.';
const noSuchPerson = () => new Refusal('NOT_FOUND', noPerson);

function lastAdmin(error: unknown): Refusal | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if ((cause as { code?: string }).code === '42501') return new Refusal('CONFLICT', `${cause.message}.`);
  return null;
}

export const listSessions = route({
  method: 'GET',
  path: '/sessions',
  roles: everybody,
  answer: async ({ store, session }) => ({
    sessions: (await store.sessions.list(session.personId)).map((one) => ({ ...one, isThis: one.id === session.id })),
  }),
});

export const endSession = route({
  method: 'POST',
  path: '/sessions/:id/end',
  roles: everybody,
  body: z.strictObject({}),
  async answer({ store, session, parameters, request }) {
    const id = guidOf(parameters, noSession);
    const ended = await store.change(actingIn(session, request), async (transaction) => {
      const isEnded = await store.sessions.end(transaction, session.personId, id);
      if (isEnded) await noteEnd(store, transaction, session, session.personId, 1);
      return isEnded;
    });
    if (!ended) throw new Refusal('NOT_FOUND', noSession);
    return {};
  },
});

const noSession = 'There is no such session of yours.';
