import { createHash, randomBytes } from 'node:crypto';
import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { translateErrors } from '../admin/database.ts';
import type { AuditedTransaction } from './audited-transaction.ts';
import { roles } from './members.ts';
import { maxIdleMinutes, maxSessionHours } from './session-limits.ts';

const session = z.object({
  id: z.string(),
  authenticatedAt: z.string(),
  endsAt: z.string(),
  memberId: z.string(),
  organizationId: z.string(),
  organizationName: z.string(),
  keyLifetimeDays: z.number().nullable(),
  name: z.string(),
  email: z.string().nullable(),
  source: z.enum(['oidc', 'local', 'demo']),
  role: z.enum(roles),
  hasEveryTenant: z.boolean(),
  tenants: z.array(z.object({ id: z.string(), name: z.string(), azureTenantId: z.string().nullable() })),
});
/** An active session and its member, with the tenants that are visible to it. */
export type Session = z.infer<typeof session>;

const digestSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Begins a session; the secret is the cookie's value and is stored as a digest only. Each sign-in gets a new one and is in the audit log. */
export async function beginSession(
  transaction: AuditedTransaction,
  memberId: string,
  from: { readonly address: string; readonly agent: string | null },
): Promise<{ secret: string }> {
  const secret = randomBytes(32).toString('base64url');
  await transaction.query(sql.unsafe`
    select control.begin_session(${sql.binary(digestSecret(secret))}, ${memberId}, make_interval(hours => ${maxSessionHours}), ${from.address}, ${from.agent})`);
  return { secret };
}

/** The active session of a cookie, else null. Attended requests keep it from going idle; background requests do not. */
export function findSession(pool: DatabasePool, secret: string, isAttended: boolean): Promise<Session | null> {
  return translateErrors(
    pool.maybeOne(sql.type(session)`
      with live as (
        update control.console_session s set seen_at = case when ${isAttended} then clock_timestamp() else s.seen_at end
          from control.member p
         where s.id_sha256 = ${sql.binary(digestSecret(secret))} and p.id = s.member_id and p.disabled_at is null
           and s.ended_at is null and s.ends_at > clock_timestamp()
           and s.seen_at > clock_timestamp() - make_interval(mins => ${maxIdleMinutes})
           and (select control.has_open_epoch())
        returning s.id, s.authenticated_at, s.ends_at, s.member_id
      )
      select live.id, live.authenticated_at as "authenticatedAt", live.ends_at as "endsAt", p.id as "memberId", p.organization_id as "organizationId",
             o.name as "organizationName", o.key_lifetime_days as "keyLifetimeDays", p.name, p.email, p.source, p.role, p.tenant_ids is null as "hasEveryTenant",
             (select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'azureTenantId', t.azure_tenant_id) order by t.connected_at, t.id), '[]')
                from control.tenant t
               where t.organization_id = p.organization_id and t.closed_at is null and (p.tenant_ids is null or t.id = any(p.tenant_ids))) as tenants
        from live join control.member p on p.id = live.member_id join control.organization o on o.id = p.organization_id`),
  );
}

/** Whether it was ended explicitly, rather than by idle time or age. */
export function wasSessionEnded(pool: DatabasePool, secret: string): Promise<boolean> {
  return translateErrors(
    pool.exists(sql.unsafe`
      select from control.console_session s join control.member p on p.id = s.member_id
       where s.id_sha256 = ${sql.binary(digestSecret(secret))} and (s.ended_at is not null or p.disabled_at is not null)`),
  );
}

/** The member re-authenticated, which is in the audit log: dangerous actions are allowed for a while. */
export async function recordAuthentication(transaction: AuditedTransaction, sessionId: string): Promise<void> {
  await transaction.query(sql.unsafe`select control.confirm_session(${sessionId})`);
}

const listed = z.object({
  id: z.string(),
  memberId: z.string(),
  createdAt: z.string(),
  seenAt: z.string(),
  endsAt: z.string(),
  address: z.string().nullable(),
  agent: z.string().nullable(),
});
export type ListedSession = z.infer<typeof listed>;

/** The active sessions of a member. */
export function listSessions(pool: DatabasePool, memberId: string): Promise<readonly ListedSession[]> {
  return translateErrors(
    pool.any(sql.type(listed)`
      select id, member_id as "memberId", created_at as "createdAt", seen_at as "seenAt", ends_at as "endsAt", address, agent
        from control.console_session
       where member_id = ${memberId} and ended_at is null and ends_at > clock_timestamp()
         and seen_at > clock_timestamp() - make_interval(mins => ${maxIdleMinutes})
       order by created_at desc, id`),
  );
}

/** False when the member has no such session, or it has ended. */
export async function endSession(
  transaction: AuditedTransaction,
  memberId: string,
  sessionId: string,
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.unsafe`
    update control.console_session set ended_at = clock_timestamp() where id = ${sessionId} and member_id = ${memberId} and ended_at is null`);
  return rowCount === 1;
}

/** Ends all sessions of a member, except one; returns how many there were. */
export async function endSessions(
  transaction: AuditedTransaction,
  memberId: string,
  exceptId: string | null = null,
): Promise<number> {
  const { rowCount } = await transaction.query(sql.unsafe`
    update control.console_session set ended_at = clock_timestamp()
     where member_id = ${memberId} and id is distinct from ${exceptId}::uuid and ended_at is null
       and ends_at > clock_timestamp() and seen_at > clock_timestamp() - make_interval(mins => ${maxIdleMinutes})`);
  return rowCount;
}
