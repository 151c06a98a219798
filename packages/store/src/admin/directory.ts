import { randomUUID } from 'node:crypto';
import { defaultCell } from '@tenantscope/runtime';
import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { hashSecret, makeSecret, readKeyDisplay } from '../api-key/secret.ts';

const organization = z.object({ id: z.string(), name: z.string(), version: z.number(), createdAt: z.string() });
export const tenant = z.object({
  id: z.string(),
  name: z.string(),
  organizationId: z.string().nullable(),
  azureTenantId: z.string().nullable(),
  /** Ids at other providers, by which records may name it. */
  providerIds: z.array(z.string()),
  plan: z.enum(['api', 'none']),
  timeZone: z.string(),
  version: z.number(),
  connectedAt: z.string(),
  /** Since when no key reads its data; null: it is not suspended. */
  suspendedAt: z.string().nullable(),
  /** Since when no key finds it and its records are dropped; null: it is not closed. */
  closedAt: z.string().nullable(),
  /** Since when its data is being erased, or was. */
  erasedAt: z.string().nullable(),
  /** Whose database has its rows. */
  cell: z.string(),
});
const key = z.object({
  id: z.string(),
  name: z.string(),
  display: z.string(),
  scopes: z.array(z.string()),
  tenantId: z.string().nullable(),
  organizationId: z.string().nullable(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
  requests: z.number(),
});

export type Organization = z.infer<typeof organization>;
export type Tenant = z.infer<typeof tenant>;
export type ApiKey = z.infer<typeof key>;
export type KeyOwner = { tenantId: string } | { organizationId: string };

/** The requested object does not exist, or exists already. The message names it and is safe to show. */
export class DirectoryError extends Error {
  override name = 'DirectoryError';
}

// An operator's write wins over a record of the same version: no digest is greater.
const operatorDigest = Buffer.alloc(32, 0xff);

export const tenantColumns = sql.fragment`id, name, organization_id as "organizationId", azure_tenant_id as "azureTenantId", provider_ids as "providerIds", plan, time_zone as "timeZone", version, connected_at as "connectedAt", suspended_at as "suspendedAt", closed_at as "closedAt", erased_at as "erasedAt", cell`;
const keyColumns = sql.fragment`k.id, k.name, k.display, k.scopes, k.tenant_id as "tenantId", k.organization_id as "organizationId",
  k.created_at as "createdAt", k.expires_at as "expiresAt", k.revoked_at as "revokedAt", u.last_used_at as "lastUsedAt", coalesce(u.requests, 0) as requests`;

export async function createOrganization(pool: DatabasePool, input: { name: string }): Promise<Organization> {
  return pool.one(sql.type(organization)`
    insert into control.organization (id, name, digest) values (${randomUUID()}, ${input.name}, ${sql.binary(operatorDigest)})
    returning id, name, version, created_at as "createdAt"`);
}

export async function listOrganizations(pool: DatabasePool): Promise<readonly Organization[]> {
  return pool.any(
    sql.type(
      organization,
    )`select id, name, version, created_at as "createdAt" from control.organization order by name, id`,
  );
}

export async function createTenant(
  pool: DatabasePool,
  input: {
    name: string;
    organizationId: string | null;
    azureTenantId: string | null;
    plan?: 'api' | 'none';
    /** IANA name; UTC unless given. */
    timeZone?: string;
    /** Now unless given. */
    connectedAt?: Date;
    /** default unless given. */
    cell?: string;
  },
): Promise<Tenant> {
  if (
    input.organizationId &&
    !(await pool.exists(sql.unsafe`select from control.organization where id = ${input.organizationId}`))
  ) {
    throw new DirectoryError(`There is no organization ${input.organizationId}. "org list" shows them.`);
  }
  const cell = input.cell ?? defaultCell;
  if (!(await pool.exists(sql.unsafe`select from control.cell where id = ${cell}`)))
    throw new DirectoryError(`There is no cell ${cell}. "cell list" shows them.`);
  return pool.one(sql.type(tenant)`
    insert into control.tenant (id, name, organization_id, azure_tenant_id, plan, time_zone, digest, connected_at, cell)
    values (${randomUUID()}, ${input.name}, ${input.organizationId}, ${input.azureTenantId}, ${input.plan ?? 'api'}, ${input.timeZone ?? 'UTC'},
            ${sql.binary(operatorDigest)}, ${input.connectedAt ? sql.timestamp(input.connectedAt) : sql.fragment`clock_timestamp()`}, ${cell})
    returning ${tenantColumns}`);
}

export async function listTenants(
  pool: DatabasePool,
  of: { organizationId?: string } = {},
): Promise<readonly Tenant[]> {
  return pool.any(sql.type(tenant)`
    select ${tenantColumns} from control.tenant
     where ${of.organizationId ? sql.fragment`organization_id = ${of.organizationId}` : sql.fragment`true`} order by name, id`);
}

/** Finds a tenant by its id or its upstream id. Throws DirectoryError when none or several have it. */
export async function findTenant(pool: DatabasePool, either: string): Promise<Tenant> {
  const found = await pool.any(sql.type(tenant)`
    select ${tenantColumns} from control.tenant where id = ${either} or azure_tenant_id = ${either} order by id = ${either} desc, id`);
  const exact = found.find((one) => one.id === either.toLowerCase()) ?? found[0];
  if (!exact) throw new DirectoryError(`There is no tenant ${either}. "tenant list" shows them.`);
  if (exact.id !== either.toLowerCase() && found.length > 1) {
    throw new DirectoryError(`${found.length} tenants have the upstream id ${either}. Name one by its own id.`);
  }
  return exact;
}

/** Takes the next version, so that a record of an older state cannot undo it. In force when this returns. */
export async function setPlan(pool: DatabasePool, tenantId: string, plan: 'api' | 'none'): Promise<Tenant> {
  return pool.one(sql.type(tenant)`
    update control.tenant set plan = ${plan}, version = version + 1, digest = ${sql.binary(operatorDigest)}, changed_at = clock_timestamp()
     where id = ${tenantId} returning ${tenantColumns}`);
}

/** Takes the next version, as `setPlan` does. In force when this returns. */
export async function renameTenant(pool: DatabasePool, tenantId: string, name: string): Promise<Tenant> {
  return pool.one(sql.type(tenant)`
    update control.tenant set name = ${name}, version = version + 1, digest = ${sql.binary(operatorDigest)}, changed_at = clock_timestamp()
     where id = ${tenantId} returning ${tenantColumns}`);
}

/**
 * Suspends or resumes a tenant; the next request of a key already finds it so. Its version stays, since no record carries this state, and a second
 * suspension keeps the time of the first.
 */
export async function setSuspended(pool: DatabasePool, tenantId: string, isSuspended: boolean): Promise<Tenant> {
  const since = isSuspended ? sql.fragment`coalesce(suspended_at, clock_timestamp())` : sql.fragment`null`;
  return pool.one(sql.type(tenant)`
    update control.tenant set suspended_at = ${since} where id = ${tenantId} returning ${tenantColumns}`);
}

/**
 * Moves a tenant to another organization, or out of one. In force, and in the audit logs of both, when this returns. Its version stays, so that a
 * record that named the new organization applies when it is replayed. Returns how many keys of the tenant ended.
 */
export async function moveTenant(
  pool: DatabasePool,
  { id, organizationId }: Pick<Tenant, 'id' | 'organizationId'>,
  to: { organizationId: string | null; retainKeys: boolean },
): Promise<number> {
  return pool.oneFirst(sql.type(z.object({ ended: z.number() }))`
    select control.move_tenant(${id}, ${organizationId}, ${to.organizationId}, ${to.retainKeys}) as ended`);
}

export async function createKey(
  pool: DatabasePool,
  input: { name: string; scopes: readonly string[]; owner: KeyOwner; expiresAt: Date | null },
): Promise<ApiKey & { secret: string }> {
  const secret = makeSecret();
  const tenantId = 'tenantId' in input.owner ? input.owner.tenantId : null;
  const organizationId = 'organizationId' in input.owner ? input.owner.organizationId : null;
  if (
    organizationId &&
    !(await pool.exists(sql.unsafe`select from control.organization where id = ${organizationId}`))
  ) {
    throw new DirectoryError(`There is no organization ${organizationId}. "org list" shows them.`);
  }
  const id = await pool.oneFirst(sql.type(z.object({ id: z.string() }))`
    insert into control.api_key (secret_sha256, display, name, scopes, tenant_id, organization_id, expires_at)
    values (${sql.binary(hashSecret(secret))}, ${readKeyDisplay(secret)}, ${input.name}, ${sql.array([...input.scopes], 'text')},
            ${tenantId}, ${organizationId}, ${input.expiresAt ? sql.timestamp(input.expiresAt) : null})
    returning id`);
  const created = await pool.one(sql.type(key)`
    select ${keyColumns} from control.api_key k left join control.api_key_usage u on u.key_id = k.id where k.id = ${id}`);
  return { ...created, secret };
}

export async function listKeys(pool: DatabasePool, owner?: KeyOwner): Promise<readonly ApiKey[]> {
  const of =
    owner === undefined
      ? sql.fragment`true`
      : 'tenantId' in owner
        ? sql.fragment`k.tenant_id = ${owner.tenantId}`
        : sql.fragment`k.organization_id = ${owner.organizationId}`;
  return pool.any(sql.type(key)`
    select ${keyColumns} from control.api_key k left join control.api_key_usage u on u.key_id = k.id where ${of} order by k.created_at, k.id`);
}

/** The next request with the key answers 401. Revoking twice keeps the first time. */
export async function revokeKey(pool: DatabasePool, id: string): Promise<ApiKey> {
  const { rowCount } = await pool.query(sql.unsafe`
    update control.api_key set revoked_at = coalesce(revoked_at, clock_timestamp()) where id = ${id}`);
  if (rowCount === 0) throw new DirectoryError(`There is no key ${id}. "key list" shows them.`);
  return pool.one(sql.type(key)`
    select ${keyColumns} from control.api_key k left join control.api_key_usage u on u.key_id = k.id where k.id = ${id}`);
}
