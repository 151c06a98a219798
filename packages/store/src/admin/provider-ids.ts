import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { DirectoryError, type Tenant, tenant, tenantColumns } from './directory.ts';

const maxProviderIds = 50;

/**
 * Adds an id by which records may name a tenant; case is ignored. An id that it has is not added again. Throws DirectoryError where another tenant has it:
 * records with an id of several tenants belong to none.
 */
export async function addProviderId(pool: DatabasePool, tenantId: string, providerId: string): Promise<Tenant> {
  return pool.transaction(async (client) => {
    // Of two operators who add the same id, the second finds it.
    await client.query(sql.unsafe`select pg_advisory_xact_lock(hashtext('tenant provider ids'))`);
    const owners = await client.anyFirst(sql.type(z.object({ id: z.string() }))`
      select id from control.tenant t
       where azure_tenant_id::text = lower(${providerId}) or id::text = lower(${providerId})
          or exists (select from unnest(t.provider_ids) as one (id) where lower(one.id) = lower(${providerId}))`);
    const other = owners.find((id) => id !== tenantId);
    if (other !== undefined) throw new DirectoryError(`The id ${providerId} is one of the tenant ${other} already.`);
    const changed = await client.maybeOne(sql.type(tenant)`
      update control.tenant set provider_ids = case when ${owners.length > 0} then provider_ids else provider_ids || ${providerId}::text end,
             changed_at = clock_timestamp()
       where id = ${tenantId} and (${owners.length > 0} or cardinality(provider_ids) < ${maxProviderIds}) returning ${tenantColumns}`);
    if (changed === null)
      throw new DirectoryError(`The tenant ${tenantId} has ${maxProviderIds} provider ids, the most.`);
    return changed;
  });
}

/** Removes an id; records that name it become dead letters. Throws DirectoryError where the tenant does not have it. */
export async function removeProviderId(pool: DatabasePool, tenantId: string, providerId: string): Promise<Tenant> {
  const changed = await pool.maybeOne(sql.type(tenant)`
    update control.tenant t set changed_at = clock_timestamp(),
           provider_ids = array(select one.id from unnest(t.provider_ids) with ordinality as one (id, number)
                                 where lower(one.id) <> lower(${providerId}) order by one.number)
     where id = ${tenantId} and exists (select from unnest(t.provider_ids) as one (id) where lower(one.id) = lower(${providerId}))
    returning ${tenantColumns}`);
  if (changed === null) throw new DirectoryError(`The tenant ${tenantId} does not have the id ${providerId}.`);
  return changed;
}
