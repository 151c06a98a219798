import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { recordAuditEvent } from './audit-events.ts';
import { type AuditContext, type AuditedTransaction, withAuditedTransaction } from './audited-transaction.ts';
import { maxIdleMinutes } from './session-limits.ts';

export const roles = ['admin', 'officer', 'viewer'] as const;
export type Role = (typeof roles)[number];
export type MemberSource = 'oidc' | 'local' | 'demo';

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
/** A user of the console, with one role in one organization. `tenantIds` null: every tenant of it. */
export type Member = z.infer<typeof person>;

const columns = sql.fragment`p.id, p.organization_id as "organizationId", p.name, p.email, p.source, p.subject, p.role,
  p.tenant_ids as "tenantIds", p.disabled_at as "disabledAt", p.created_at as "createdAt", p.last_signed_in_at as "lastSignedInAt"`;

const listed = person.extend({ credentials: z.array(z.string()), sessions: z.number() });
/** With the kinds of its credentials and the number of active sessions. */
export type ListedMember = z.infer<typeof listed>;

export function listMembers(pool: DatabasePool, organizationId: string): Promise<readonly ListedMember[]> {
  return pool.any(sql.type(listed)`
    select ${columns}, array(select distinct c.kind from control.member_credential c where c.member_id = p.id and c.consumed_at is null order by 1) as credentials,
           (select count(*) from control.console_session s
             where s.member_id = p.id and s.ended_at is null and s.ends_at > clock_timestamp()
               and s.seen_at > clock_timestamp() - make_interval(mins => ${maxIdleMinutes})) as sessions
      from control.member p where p.organization_id = ${organizationId} order by p.name, p.id`);
}

export function findMember(pool: DatabasePool, by: { source: MemberSource; subject: string }): Promise<Member | null> {
  return pool.maybeOne(sql.type(person)`
    select ${columns} from control.member p where p.source = ${by.source} and p.subject = ${by.subject}`);
}

export function findMemberById(pool: DatabasePool, id: string): Promise<Member | null> {
  return pool.maybeOne(sql.type(person)`select ${columns} from control.member p where p.id = ${id}`);
}

export interface MemberInput {
  readonly organizationId: string;
  readonly name: string;
  readonly email: string | null;
  readonly source: MemberSource;
  readonly subject: string;
  readonly role: Role;
  readonly tenantIds: readonly string[] | null;
}

/** Creates or updates the member: changes at the identity provider apply from the next sign-in on. */
export function upsertMember(transaction: AuditedTransaction, input: MemberInput): Promise<Member> {
  return transaction.one(sql.type(person)`
    insert into control.member as p (organization_id, name, email, source, subject, role, tenant_ids)
    values (${input.organizationId}, ${input.name}, ${input.email}, ${input.source}, ${input.subject}, ${input.role},
            ${input.tenantIds === null ? null : sql.array([...input.tenantIds], 'uuid')})
    on conflict (source, subject) do update set name = excluded.name, email = excluded.email, role = excluded.role
    returning ${columns}`);
}

export interface MemberUpdate {
  readonly role?: Role;
  readonly tenantIds?: readonly string[] | null;
  readonly disabled?: boolean;
  /** The state that the caller saw: nothing is changed if it differs by now. */
  readonly expected?: { readonly role: Role; readonly tenantIds: readonly string[] | null; readonly disabled: boolean };
}

const toIdArray = (tenantIds: readonly string[] | null | undefined) =>
  tenantIds == null ? null : sql.array([...tenantIds], 'uuid');

/** Null when the organization has no such member, or its state is not the expected one. The sessions of the member end, with an event. */
export function updateMember(
  pool: DatabasePool,
  by: AuditContext,
  name: { readonly organizationId: string; readonly id: string },
  input: MemberUpdate,
): Promise<Member | null> {
  const { role, tenantIds, disabled, expected: was } = input;
  const tenants = toIdArray(tenantIds);
  const asSeen = was
    ? sql.fragment`p.role = ${was.role} and p.tenant_ids is not distinct from ${toIdArray(was.tenantIds)}::uuid[] and (p.disabled_at is not null) = ${was.disabled}`
    : sql.fragment`true`;
  return withAuditedTransaction(pool, by, async (transaction) => {
    const changed = await transaction.maybeOne(sql.type(person)`
      update control.member p
         set role = coalesce(${role ?? null}, p.role),
             tenant_ids = case when ${tenantIds !== undefined} then ${tenants}::uuid[] else p.tenant_ids end,
             disabled_at = case when ${disabled === undefined} then p.disabled_at when ${disabled === true} then coalesce(p.disabled_at, clock_timestamp()) end
       where p.id = ${name.id} and p.organization_id = ${name.organizationId} and ${asSeen}
      returning ${columns}`);
    if (changed === null) return null;
    const { rowCount: sessions } = await transaction.query(sql.unsafe`
      update control.console_session set ended_at = clock_timestamp()
       where member_id = ${changed.id} and ended_at is null and ends_at > clock_timestamp()
         and seen_at > clock_timestamp() - make_interval(mins => ${maxIdleMinutes})`);
    if (sessions > 0)
      await recordAuditEvent(transaction, {
        organizationId: changed.organizationId,
        action: 'ended',
        memberId: changed.id,
        subjectType: 'session',
        details: { sessions },
      });
    return changed;
  });
}
