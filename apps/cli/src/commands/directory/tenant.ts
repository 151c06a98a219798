import { findTenant, withAdmin } from '../../connections/admin-connection.ts';
import type { CommandContext } from '../../context.ts';
import { parseChoice, parseGuid, parseName, parseTimeZone } from '../../input/option-parsers.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatFields, formatTable } from '../../output/table.ts';

export interface TenantOptions {
  readonly name: string;
  readonly org?: string;
  readonly azureTenantId?: string;
  readonly plan: string;
  readonly timeZone: string;
}

const plans = ['api', 'none'] as const;

export async function createTenant(options: TenantOptions, context: CommandContext): Promise<CommandResult> {
  const plan = parseChoice(options.plan, plans, '--plan');
  const input = {
    name: parseName(options.name),
    organizationId: options.org === undefined ? null : parseGuid(options.org, '--org'),
    azureTenantId: options.azureTenantId === undefined ? null : parseGuid(options.azureTenantId, '--azure-tenant-id'),
    plan,
    timeZone: parseTimeZone(options.timeZone, '--time-zone'),
  };
  const created = await withAdmin(context.environment, (admin) => admin.tenants.create(input));
  return { document: created, text: formatFields(Object.entries(created)) };
}

export async function listTenants(options: { org?: string }, context: CommandContext): Promise<CommandResult> {
  const filter = options.org === undefined ? {} : { organizationId: parseGuid(options.org, '--org') };
  const found = await withAdmin(context.environment, (admin) => admin.tenants.list(filter));
  const text = formatTable(
    found,
    [
      ['id', (row) => row.id],
      ['name', (row) => row.name],
      ['azureTenantId', (row) => row.azureTenantId],
      ['organizationId', (row) => row.organizationId],
      ['plan', (row) => row.plan],
      ['time zone', (row) => row.timeZone],
    ],
    'No tenants.',
  );
  return { document: { data: found }, text };
}

export async function setPlan(
  options: { tenant: string; plan: string },
  context: CommandContext,
): Promise<CommandResult> {
  const plan = parseChoice(options.plan, plans, '--plan');
  const changed = await withAdmin(context.environment, async (admin) => {
    const { id, name } = await findTenant(admin, options.tenant);
    await admin.tenants.setPlan(id, plan);
    return { id, name, plan };
  });
  return { document: changed, text: formatFields(Object.entries(changed)) };
}
