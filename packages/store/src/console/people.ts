import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { type Acting, type Change, change } from './acting.ts';
import { idleMinutes } from './session-length.ts';

export const roles = ['admin', 'officer', 'viewer'] as const;
export type Role = (typeof roles)[number];
export type PersonSource = 'oidc' | 'local' | 'demo';

const person = z.object({
  id: z.string(),
  organizationId: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  source: z.enum(['oidc', 'local', 'demo']),
  subject: z.string(),
  role: z.enum(roles),
  tenantIds: z.array(z.string()).nullable(),
  disabledAt: z.string().nullable(),
  createdAt: z.string(),
  lastSignedInAt: z.string().nullable(),
});
/** Somebody who may use the console, with one role in one organization. `tenantIds` null: every tenant of it. */
export type Person = z.infer<typeof person>;

const columns = sql.fragment`p.id, p.organization_id as "organizationId", p.name, p.email, p.source, p.subject, p.role,
  p.tenant_ids as "tenantIds", p.disabled_at as "disabledAt", p.created_at as "createdAt", p.last_signed_in_at as "lastSignedInAt"`;

const listed = person.extend({ credentials: z.array(z.string()), sessions: z.number() });
/** With the kinds of things the person can prove itself by, and how many sessions last. */
export type ListedPerson = z.infer<typeof listed>;

export function listPeople(pool: DatabasePool, organizationId: string): Promise<readonly ListedPerson[]> {
  return pool.any(sql.type(listed)`
    select ${columns}, array(select distinct c.kind from control.person_credential c where c.person_id = p.id and c.spent_at is null order by 1) as credentials,
           (select count(*) from control.console_session s
             where s.person_id = p.id and s.ended_at is null and s.ends_at > clock_timestamp()
               and s.seen_at > clock_timestamp() - make_interval(mins => ${idleMinutes})) as sessions
      from control.person p where p.organization_id = ${organizationId} order by p.name, p.id`);
}

export function findPerson(pool: DatabasePool, by: { source: PersonSource; subject: string }): Promise<Person | null> {
  return pool.maybeOne(sql.type(person)`
    select ${columns} from control.person p where p.source = ${by.source} and p.subject = ${by.subject}`);
}

export function findPersonById(pool: DatabasePool, id: string): Promise<Person | null> {
  return pool.maybeOne(sql.type(person)`select ${columns} from control.person p where p.id = ${id}`);
}

export interface PersonWanted {
  readonly organizationId: string;
  readonly name: string;
  readonly email: string | null;
  readonly source: PersonSource;
  readonly subject: string;
  readonly role: Role;
  readonly tenantIds: readonly string[] | null;
}

/** Makes the person or brings it up to date: what an identity provider says of somebody holds from the next sign-in on. */
export function enterPerson(transaction: Change, wanted: PersonWanted): Promise<Person> {
  return transaction.one(sql.type(person)`
    insert into control.person as p (organization_id, name, email, source, subject, role, tenant_ids)
    values (${wanted.organizationId}, ${wanted.name}, ${wanted.email}, ${wanted.source}, ${wanted.subject}, ${wanted.role},
            ${wanted.tenantIds === null ? null : sql.array([...wanted.tenantIds], 'uuid')})
    on conflict (source, subject) do update set name = excluded.name, email = excluded.email, role = excluded.role
    returning ${columns}`);
}

export interface PersonChange {
  readonly role?: Role;
  readonly tenantIds?: readonly string[] | null;
  readonly disabled?: boolean;
  /** What whoever changes it saw: nothing is changed where it is something else by now. */
  readonly was?: { readonly role: Role; readonly tenantIds: readonly string[] | null; readonly disabled: boolean };
}

const idsOf = (tenantIds: readonly string[] | null | undefined) =>
  tenantIds == null ? null : sql.array([...tenantIds], 'uuid');

/** Null when the organization has no such person, or it is not what it was any more. Sessions of somebody whose rights change end. */
export function changePerson(
  pool: DatabasePool,
  by: Acting,
  name: { readonly organizationId: string; readonly id: string },
  wanted: PersonChange,
): Promise<Person | null> {
  const { role, tenantIds, disabled, was } = wanted;
  const tenants = idsOf(tenantIds);
  const asSeen = was
    ? sql.fragment`p.role = ${was.role} and p.tenant_ids is not distinct from ${idsOf(was.tenantIds)}::uuid[] and (p.disabled_at is not null) = ${was.disabled}`
    : sql.fragment`true`;
  return change(pool, by, async (transaction) => {
    const changed = await transaction.maybeOne(sql.type(person)`
      update control.person p
         set role = coalesce(${role ?? null}, p.role),
             tenant_ids = case when ${tenantIds !== undefined} then ${tenants}::uuid[] else p.tenant_ids end,
             disabled_at = case when ${disabled === undefined} then p.disabled_at when ${disabled === true} then coalesce(p.disabled_at, clock_timestamp()) end
       where p.id = ${name.id} and p.organization_id = ${name.organizationId} and ${asSeen}
      returning ${columns}`);
    if (changed)
      await transaction.query(sql.unsafe`
        update control.console_session set ended_at = clock_timestamp() where person_id = ${changed.id} and ended_at is null`);
    return changed;
  });
}
