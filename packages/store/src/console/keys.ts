import { sql } from 'slonik';
import { z } from 'zod';
import { hashSecret, makeSecret, readKeyDisplay } from '../api-key/secret.ts';
import type { AuditedTransaction } from './audited-transaction.ts';

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

const createdKey = z.object({ id: z.string() });

/** The secret is returned here only. Null when the tenant, or the replaced key, does not belong to the organization. */
export async function createKey(
  transaction: AuditedTransaction,
  input: NewKey,
): Promise<{ id: string; secret: string } | null> {
  const { tenantId, organizationId, replaces } = input;
  if (tenantId !== null && !(await isTenantOf(transaction, tenantId, organizationId))) return null;
  if (replaces !== null && !(await isKeyOf(transaction, replaces, organizationId))) return null;
  const secret = makeSecret();
  const { id } = await transaction.one(sql.type(createdKey)`
    insert into control.api_key (secret_sha256, display, name, scopes, tenant_id, organization_id, expires_at, kind, created_by, replaces)
    values (${sql.binary(hashSecret(secret))}, ${readKeyDisplay(secret)}, ${input.name}, ${sql.array([...input.scopes], 'text')}, ${tenantId},
            ${tenantId === null ? organizationId : null}, ${input.expiresAt ? sql.timestamp(input.expiresAt) : null}, ${input.kind},
            ${input.createdBy}, ${input.replaces})
    returning id`);
  return { id, secret };
}

function isTenantOf(transaction: AuditedTransaction, tenantId: string, organizationId: string): Promise<boolean> {
  return transaction.exists(
    sql.unsafe`select from control.tenant where id = ${tenantId} and organization_id = ${organizationId}`,
  );
}

function isKeyOf(transaction: AuditedTransaction, id: string, organizationId: string): Promise<boolean> {
  return transaction.exists(
    sql.unsafe`select from control.api_key where id = ${id} and ${belongsToOrganization(organizationId)}`,
  );
}

const belongsToOrganization = (organizationId: string) => sql.fragment`
  ${organizationId} in (organization_id, (select t.organization_id from control.tenant t where t.id = tenant_id))`;

/** The next request with it is refused. False when the organization has no such key. */
export async function revokeKey(transaction: AuditedTransaction, organizationId: string, id: string): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.unsafe`
    update control.api_key set revoked_at = coalesce(revoked_at, clock_timestamp()) where id = ${id} and ${belongsToOrganization(organizationId)}`);
  return rowCount === 1;
}

export interface KeyUpdate {
  readonly name?: string | undefined;
  /** Null: never. */
  readonly expiresAt?: Date | null | undefined;
  /** The state that the caller saw: nothing is changed if it differs by now. */
  readonly expected?: { readonly name: string; readonly expiresAt: Date | null } | undefined;
}

/** False when the organization has no such key, its state is not the expected one, or it has ended and would get another expiry. */
export async function updateKey(
  transaction: AuditedTransaction,
  organizationId: string,
  id: string,
  input: KeyUpdate,
): Promise<boolean> {
  const { name = null, expiresAt, expected: was } = input;
  const asSeen =
    was === undefined
      ? sql.fragment`true`
      : sql.fragment`name = ${was.name} and expires_at is not distinct from ${toTimestamp(was.expiresAt)}::timestamptz`;
  const asLives =
    expiresAt === undefined
      ? sql.fragment`true`
      : sql.fragment`revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`;
  const { rowCount } = await transaction.query(sql.unsafe`
    update control.api_key
       set name = coalesce(${name}, name),
           expires_at = case when ${expiresAt === undefined} then expires_at else ${toTimestamp(expiresAt)}::timestamptz end
     where id = ${id} and ${belongsToOrganization(organizationId)} and ${asSeen} and ${asLives}`);
  return rowCount === 1;
}

const toTimestamp = (time: Date | null | undefined) => (time ? sql.timestamp(time) : null);

/** The key expires at this time, or at its earlier expiry. False when the organization has no such key. */
export async function limitKeyExpiry(
  transaction: AuditedTransaction,
  organizationId: string,
  id: string,
  end: Date,
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.unsafe`
    update control.api_key set expires_at = least(expires_at, ${sql.timestamp(end)}) where id = ${id} and ${belongsToOrganization(organizationId)}`);
  return rowCount === 1;
}

/** Sets the maximum lifetime of new keys; null: unlimited. False when the current value is not the expected one. */
export async function setKeyLifetime(
  transaction: AuditedTransaction,
  organizationId: string,
  days: number | null,
  was: number | null | undefined,
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.unsafe`
    update control.organization set key_lifetime_days = ${days}
     where id = ${organizationId} and (${was === undefined} or key_lifetime_days is not distinct from ${was ?? null}::integer)`);
  return rowCount === 1;
}
