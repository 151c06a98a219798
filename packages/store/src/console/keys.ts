import { sql } from 'slonik';
import { z } from 'zod';
import { displayOf, hashSecret, makeSecret } from '../secret.ts';
import type { Change } from './acting.ts';

export interface NewKey {
  readonly name: string;
  readonly scopes: readonly string[];
  /** Null: every tenant of the organization. */
  readonly tenantId: string | null;
  readonly organizationId: string;
  readonly expiresAt: Date | null;
  readonly createdBy: string;
  readonly replaces: string | null;
  readonly kind: 'api' | 'playground';
}

const made = z.object({ id: z.string() });

/** The secret is in the answer and nowhere else. Null when the tenant, or the key that is replaced, is not one of the organization. */
export async function makeKey(transaction: Change, wanted: NewKey): Promise<{ id: string; secret: string } | null> {
  const { tenantId, organizationId, replaces } = wanted;
  if (tenantId !== null && !(await isTenantOf(transaction, tenantId, organizationId))) return null;
  if (replaces !== null && !(await isKeyOf(transaction, replaces, organizationId))) return null;
  const secret = makeSecret();
  const { id } = await transaction.one(sql.type(made)`
    insert into control.api_key (secret_sha256, display, name, scopes, tenant_id, organization_id, expires_at, kind, created_by, replaces)
    values (${sql.binary(hashSecret(secret))}, ${displayOf(secret)}, ${wanted.name}, ${sql.array([...wanted.scopes], 'text')}, ${tenantId},
            ${tenantId === null ? organizationId : null}, ${wanted.expiresAt ? sql.timestamp(wanted.expiresAt) : null}, ${wanted.kind},
            ${wanted.createdBy}, ${wanted.replaces})
    returning id`);
  return { id, secret };
}

function isTenantOf(transaction: Change, tenantId: string, organizationId: string): Promise<boolean> {
  return transaction.exists(
    sql.unsafe`select from control.tenant where id = ${tenantId} and organization_id = ${organizationId}`,
  );
}

function isKeyOf(transaction: Change, id: string, organizationId: string): Promise<boolean> {
  return transaction.exists(
    sql.unsafe`select from control.api_key where id = ${id} and ${ofOrganization(organizationId)}`,
  );
}

const ofOrganization = (organizationId: string) => sql.fragment`
  ${organizationId} in (organization_id, (select t.organization_id from control.tenant t where t.id = tenant_id))`;

/** The next request with it is refused. False when the organization has no such key. */
export async function endKey(transaction: Change, organizationId: string, id: string): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.unsafe`
    update control.api_key set revoked_at = coalesce(revoked_at, clock_timestamp()) where id = ${id} and ${ofOrganization(organizationId)}`);
  return rowCount === 1;
}

export interface KeyChange {
  readonly name?: string | undefined;
  /** Null: never. */
  readonly expiresAt?: Date | null | undefined;
  /** What whoever changes it saw: nothing is changed where it is something else by now. */
  readonly was?: { readonly name: string; readonly expiresAt: Date | null } | undefined;
}

/** False when the organization has no such key, or it is not what it was any more, or has ended and would be given another end. */
export async function changeKey(
  transaction: Change,
  organizationId: string,
  id: string,
  wanted: KeyChange,
): Promise<boolean> {
  const { name = null, expiresAt, was } = wanted;
  const asSeen =
    was === undefined
      ? sql.fragment`true`
      : sql.fragment`name = ${was.name} and expires_at is not distinct from ${timeOf(was.expiresAt)}::timestamptz`;
  const asLives =
    expiresAt === undefined
      ? sql.fragment`true`
      : sql.fragment`revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`;
  const { rowCount } = await transaction.query(sql.unsafe`
    update control.api_key
       set name = coalesce(${name}, name),
           expires_at = case when ${expiresAt === undefined} then expires_at else ${timeOf(expiresAt)}::timestamptz end
     where id = ${id} and ${ofOrganization(organizationId)} and ${asSeen} and ${asLives}`);
  return rowCount === 1;
}

const timeOf = (time: Date | null | undefined) => (time ? sql.timestamp(time) : null);

/** The key ends at this time, or when it would have ended anyway. False when the organization has no such key. */
export async function endKeyBy(transaction: Change, organizationId: string, id: string, end: Date): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.unsafe`
    update control.api_key set expires_at = least(expires_at, ${sql.timestamp(end)}) where id = ${id} and ${ofOrganization(organizationId)}`);
  return rowCount === 1;
}

/** How long keys of an organization may live from now on; null: for ever. False when it is not what it was any more. */
export async function setKeyLifetime(
  transaction: Change,
  organizationId: string,
  days: number | null,
  was: number | null | undefined,
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.unsafe`
    update control.organization set key_lifetime_days = ${days}
     where id = ${organizationId} and (${was === undefined} or key_lifetime_days is not distinct from ${was ?? null}::integer)`);
  return rowCount === 1;
}
