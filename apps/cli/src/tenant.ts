import { findTenant, withAdmin } from './admin.ts';
import type { Answer } from './answer.ts';
import { guid, name, oneOf, timeZone } from './arguments.ts';
import type { Surroundings } from './surroundings.ts';
import { listing, table } from './table.ts';

export interface TenantOptions {
  readonly name: string;
  readonly org?: string;
  readonly azureTenantId?: string;
  readonly plan: string;
  readonly timeZone: string;
}

const plans = ['api', 'none'] as const;

export async function createTenant(options: TenantOptions, around: Surroundings): Promise<Answer> {
  const plan = oneOf(options.plan, plans, '--plan');
  const wanted = {
    name: name(options.name),
    organizationId: options.org === undefined ? null : guid(options.org, '--org'),
    azureTenantId: options.azureTenantId === undefined ? null : guid(options.azureTenantId, '--azure-tenant-id'),
    plan,
    timeZone: timeZone(options.timeZone, '--time-zone'),
  };
  const made = await withAdmin(around.environment, (admin) => admin.tenants.create(wanted));
  return { document: made, text: listing(Object.entries(made)) };
}

export async function listTenants(options: { org?: string }, around: Surroundings): Promise<Answer> {
  const filter = options.org === undefined ? {} : { organizationId: guid(options.org, '--org') };
  const found = await withAdmin(around.environment, (admin) => admin.tenants.list(filter));
  const text = table(
    found,
    [
      ['id', (row) => row.id],
      ['name', (row) => row.name],
      ['azureTenantId', (row) => row.azureTenantId],
      ['organizationId', (row) => row.organizationId],
      ['plan', (row) => row.plan],
      ['time zone', (row) => row.timeZone],
    ],
    'There is no tenant yet.',
  );
  return { document: { data: found }, text };
}

export async function setPlan(options: { tenant: string; plan: string }, around: Surroundings): Promise<Answer> {
  const plan = oneOf(options.plan, plans, '--plan');
  const changed = await withAdmin(around.environment, async (admin) => {
    const { id, name } = await findTenant(admin, options.tenant);
    await admin.tenants.setPlan(id, plan);
    return { id, name, plan };
  });
  return { document: changed, text: listing(Object.entries(changed)) };
}
