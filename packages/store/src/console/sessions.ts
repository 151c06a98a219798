import { createHash, randomBytes } from 'node:crypto';
import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { asked } from '../admin/database.ts';
import type { Change } from './acting.ts';
import { roles } from './people.ts';
import { idleMinutes, longestHours } from './session-length.ts';

const session = z.object({
  id: z.string(),
  authenticatedAt: z.string(),
  endsAt: z.string(),
  personId: z.string(),
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
/** A live session and whose it is, with the tenants that person may look at. */
export type Session = z.infer<typeof session>;

const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Begins a session; the secret is the cookie's value and is stored as a digest only. Whoever signs in again gets another. */
export async function beginSession(
  transaction: Change,
  personId: string,
  from: { readonly address: string; readonly agent: string | null },
): Promise<{ secret: string }> {
  const secret = randomBytes(32).toString('base64url');
  await transaction.query(sql.unsafe`
    insert into control.console_session (id_sha256, person_id, ends_at, address, agent)
    values (${sql.binary(digestOf(secret))}, ${personId}, clock_timestamp() + make_interval(hours => ${longestHours}), ${from.address}, ${from.agent})`);
  await transaction.query(
    sql.unsafe`update control.person set last_signed_in_at = clock_timestamp() where id = ${personId}`,
  );
  return { secret };
}

/** The session a cookie names while it lasts, else null. Using it keeps it from going idle, but where nobody is at the screen that asks. */
export function findSession(pool: DatabasePool, secret: string, isAttended: boolean): Promise<Session | null> {
  return asked(
    pool.maybeOne(sql.type(session)`
      with live as (
        update control.console_session s set seen_at = case when ${isAttended} then clock_timestamp() else s.seen_at end
          from control.person p
         where s.id_sha256 = ${sql.binary(digestOf(secret))} and p.id = s.person_id and p.disabled_at is null
           and s.ended_at is null and s.ends_at > clock_timestamp()
           and s.seen_at > clock_timestamp() - make_interval(mins => ${idleMinutes})
        returning s.id, s.authenticated_at, s.ends_at, s.person_id
      )
      select live.id, live.authenticated_at as "authenticatedAt", live.ends_at as "endsAt", p.id as "personId", p.organization_id as "organizationId",
             o.name as "organizationName", o.key_lifetime_days as "keyLifetimeDays", p.name, p.email, p.source, p.role, p.tenant_ids is null as "hasEveryTenant",
             (select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'azureTenantId', t.azure_tenant_id) order by t.connected_at, t.id), '[]')
                from control.tenant t
               where t.organization_id = p.organization_id and (p.tenant_ids is null or t.id = any(p.tenant_ids))) as tenants
        from live join control.person p on p.id = live.person_id join control.organization o on o.id = p.organization_id`),
  );
}

/** Whether somebody put an end to it, which is another thing than that it went idle or grew old. */
export function wasSessionEnded(pool: DatabasePool, secret: string): Promise<boolean> {
  return asked(
    pool.exists(sql.unsafe`
      select from control.console_session s join control.person p on p.id = s.person_id
       where s.id_sha256 = ${sql.binary(digestOf(secret))} and (s.ended_at is not null or p.disabled_at is not null)`),
  );
}

/** The person proved again who it is: dangerous acts may follow for a while. */
export async function noteAuthentication(transaction: Change, sessionId: string): Promise<void> {
  await transaction.query(
    sql.unsafe`update control.console_session set authenticated_at = clock_timestamp() where id = ${sessionId}`,
  );
}

const listed = z.object({
  id: z.string(),
  personId: z.string(),
  createdAt: z.string(),
  seenAt: z.string(),
  endsAt: z.string(),
  address: z.string().nullable(),
  agent: z.string().nullable(),
});
export type ListedSession = z.infer<typeof listed>;

/** Sessions that last, of one person. */
export function listSessions(pool: DatabasePool, personId: string): Promise<readonly ListedSession[]> {
  return asked(
    pool.any(sql.type(listed)`
      select id, person_id as "personId", created_at as "createdAt", seen_at as "seenAt", ends_at as "endsAt", address, agent
        from control.console_session
       where person_id = ${personId} and ended_at is null and ends_at > clock_timestamp()
         and seen_at > clock_timestamp() - make_interval(mins => ${idleMinutes})
       order by created_at desc, id`),
  );
}

/** False when the person has no such session. */
export async function endSession(transaction: Change, personId: string, sessionId: string): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.unsafe`
    update control.console_session set ended_at = coalesce(ended_at, clock_timestamp()) where id = ${sessionId} and person_id = ${personId}`);
  return rowCount === 1;
}

/** Ends every session of somebody; answers how many there were. */
export async function endSessions(transaction: Change, personId: string): Promise<number> {
  const { rowCount } = await transaction.query(sql.unsafe`
    update control.console_session set ended_at = clock_timestamp() where person_id = ${personId} and ended_at is null
       and ends_at > clock_timestamp() and seen_at > clock_timestamp() - make_interval(mins => ${idleMinutes})`);
  return rowCount;
}
