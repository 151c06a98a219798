import { randomBytes } from 'node:crypto';
import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { translateErrors } from '../admin/database.ts';
import type { AuditedTransaction } from './audited-transaction.ts';
import { type Role, roles } from './members.ts';
import { digestText } from './sign-ins.ts';

/** From the command line on the host. */
const hostMinutes = 15;
const invitationHours = 72;

export interface NewSetUpToken {
  readonly organizationId: string;
  readonly role: Role;
  /** Null: every tenant of the organization. */
  readonly tenantIds: readonly string[] | null;
}

const created = z.object({ id: z.string(), expiresAt: z.string() });

/** For one account within 15 minutes; the token is returned here only and stored as a digest. */
export async function createSetUpToken(transaction: AuditedTransaction, input: NewSetUpToken): Promise<string> {
  return (await insertToken(transaction, { ...input, name: null, minutes: hostMinutes })).token;
}

/** For one account within 72 hours; `name` says for whom. */
export function createInvitation(
  transaction: AuditedTransaction,
  input: NewSetUpToken & { readonly name: string },
): Promise<{ id: string; token: string; expiresAt: string }> {
  return insertToken(transaction, { ...input, minutes: invitationHours * 60 });
}

async function insertToken(
  transaction: AuditedTransaction,
  { organizationId, role, tenantIds, name, minutes }: NewSetUpToken & { name: string | null; minutes: number },
) {
  const token = randomBytes(24).toString('base64url');
  const { id, expiresAt } = await transaction.one(sql.type(created)`
    insert into control.set_up_token (sha256, organization_id, name, role, tenant_ids, expires_at)
    values (${sql.binary(digestText(token))}, ${organizationId}, ${name}, ${role}, ${tenantIds === null ? null : sql.array([...tenantIds], 'uuid')},
            clock_timestamp() + make_interval(mins => ${minutes}))
    returning id, expires_at as "expiresAt"`);
  return { id, token, expiresAt };
}

const isInvitation = sql.fragment`t.created_by like 'member:%'`;

const state = sql.fragment`
  case when t.used_at is not null then 'used' when t.revoked_at is not null then 'revoked' when t.expires_at <= clock_timestamp() then 'expired' else 'valid' end`;

const tokenState = z.object({
  state: z.enum(['valid', 'used', 'revoked', 'expired']),
  role: z.enum(roles),
  name: z.string().nullable(),
  organizationId: z.string(),
  organizationName: z.string(),
  /** Created by a member; else by the command line on the host. */
  isInvitation: z.boolean(),
  expiresAt: z.string(),
});
/** What a token is for, and whether it can still be used. */
export type SetUpTokenState = z.infer<typeof tokenState>;

/** Null: no such token. */
export function readSetUpToken(pool: DatabasePool, token: string): Promise<SetUpTokenState | null> {
  return translateErrors(
    pool.maybeOne(sql.type(tokenState)`
      select ${state} as state, t.role, t.name, o.id as "organizationId", o.name as "organizationName", ${isInvitation} as "isInvitation", t.expires_at as "expiresAt"
        from control.set_up_token t join control.organization o on o.id = t.organization_id where t.sha256 = ${sql.binary(digestText(token))}`),
  );
}

const accepted = z.object({ memberId: z.string().nullable() });

/** Consumes the token and creates its member; the id of the member, or null when the token is unknown, used, revoked or expired. */
export function acceptSetUpToken(
  transaction: AuditedTransaction,
  token: string,
  { name, subject }: { readonly name: string; readonly subject: string },
): Promise<string | null> {
  return transaction.oneFirst(sql.type(accepted)`
    select control.accept_set_up_token(${sql.binary(digestText(token))}, ${name}, ${subject}) as "memberId"`);
}

const invitation = tokenState.omit({ organizationId: true, organizationName: true, isInvitation: true }).extend({
  id: z.string(),
  tenantIds: z.array(z.string()).nullable(),
  createdBy: z.string(),
  createdAt: z.string(),
});
export type Invitation = z.infer<typeof invitation>;

const listedDays = 7;

/** The invitations of an organization that are valid, or ended in the last days; newest first. */
export function listInvitations(pool: DatabasePool, organizationId: string): Promise<readonly Invitation[]> {
  return translateErrors(
    pool.any(sql.type(invitation)`
      select t.id, ${state} as state, t.role, t.name, t.tenant_ids as "tenantIds", t.created_by as "createdBy", t.created_at as "createdAt", t.expires_at as "expiresAt"
        from control.set_up_token t
       where t.organization_id = ${organizationId} and ${isInvitation} and t.expires_at > clock_timestamp() - make_interval(days => ${listedDays})
       order by t.created_at desc, t.id`),
  );
}

/** False when the organization has no such invitation that can still be used. */
export async function revokeInvitation(
  transaction: AuditedTransaction,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.unsafe`
    update control.set_up_token set revoked_at = clock_timestamp()
     where id = ${id} and organization_id = ${organizationId} and used_at is null and revoked_at is null and expires_at > clock_timestamp()`);
  return rowCount === 1;
}
