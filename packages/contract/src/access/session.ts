import { z } from 'zod';
import { document } from '../operation/operation.ts';

const ping = z
  .object({
    tenantId: z.string().nullable().meta({
      description: 'The tenant this request reads; null for an organization-wide key without a selected tenant.',
    }),
    keyId: z.string().meta({ description: 'Id of the key.' }),
    name: z.string().meta({ description: 'Name given to the key.' }),
    scopes: z.array(z.string()).max(100).meta({ description: 'Scopes the key carries.' }),
    organizationWide: z
      .boolean()
      .meta({ description: 'Whether the key selects a tenant per request with X-Tenant-Id.' }),
  })
  .meta({ id: 'Ping', description: 'The API key of the request.' });

const tenant = z
  .object({
    id: z.string().meta({ description: 'Id of the tenant in this service.' }),
    name: z.string().meta({ description: 'Name of the tenant.' }),
    azureTenantId: z.string().nullable().meta({ description: 'Id of the tenant in the upstream identity platform.' }),
  })
  .meta({ id: 'Tenant', description: 'A tenant the key may read.' });

export type Ping = z.infer<typeof ping>;
export type Tenant = z.infer<typeof tenant>;

export const pingKey = document({
  name: 'ping',
  path: '/ping',
  scope: null,
  tenant: 'optional',
  returns: 'record',
  summary: 'Confirm a key',
  description: "Returns the key's tenant and scopes; with X-Tenant-Id, the selected tenant.",
  toolDescription:
    'Checks the key; returns the selected tenant and the scopes. Call it first when another tool fails for tenant, plan or scope.',
  containsUntrustedText: false,
  record: ping,
  examples: [{ description: 'Tenant and scopes of the key', input: {} }],
});

export const listTenants = document({
  name: 'list_tenants',
  path: '/tenants',
  scope: null,
  tenant: 'optional',
  returns: 'collection',
  summary: 'Tenants of the key',
  description:
    'The one tenant of a tenant-bound key, or every tenant of the organization of an organization-wide key, on one page.',
  toolDescription:
    'Tenants this key may read, with ids and names. Tools cannot switch tenants: the user sets the header X-Tenant-Id of the MCP server entry to an id listed here.',
  containsUntrustedText: false,
  record: tenant,
  examples: [{ description: 'All tenants', input: {} }],
});
