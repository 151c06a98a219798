import { CommandError, usageError } from '../../command-error.ts';
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
  readonly cell: string;
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
    cell: options.cell,
  };
  const { azureTenantId } = input;
  const [created, others] = await withAdmin(context.environment, async (admin) => {
    const others = azureTenantId === null ? [] : await admin.tenants.list();
    return [await admin.tenants.create(input), others.filter((one) => one.azureTenantId === azureTenantId)] as const;
  });
  const notes = [
    ...(created.organizationId === null
      ? ['The tenant belongs to no organization: the console does not show it. "tenantscope tenant move" assigns one.']
      : []),
    ...(others.length > 0
      ? [
          `The upstream id is also that of ${others.map(({ id }) => id).join(', ')}: name each tenant by its own id. Records of a source binding that name the upstream id become dead letters.`,
        ]
      : []),
  ];
  return { document: created, text: [formatFields(Object.entries(created)), ...notes].join('\n') };
}

export async function listTenants(options: { org?: string }, context: CommandContext): Promise<CommandResult> {
  const filter = options.org === undefined ? {} : { organizationId: parseGuid(options.org, '--org') };
  const [found, moves] = await withAdmin(context.environment, (admin) =>
    Promise.all([admin.tenants.list(filter), admin.tenants.listMoves()]),
  );
  const describeMove = (id: string) =>
    moves
      .filter(({ tenantId }) => tenantId === id)
      .map(({ fromCell, toCell, state }) => `${fromCell} to ${toCell}: ${state}`)
      .join(', ') || null;
  const text = formatTable(
    found,
    [
      ['id', (row) => row.id],
      ['name', (row) => row.name],
      ['azureTenantId', (row) => row.azureTenantId],
      ['provider ids', (row) => row.providerIds.join(', ') || null],
      ['organizationId', (row) => row.organizationId],
      ['plan', (row) => row.plan],
      ['time zone', (row) => row.timeZone],
      ['cell', (row) => row.cell],
      ['move', (row) => describeMove(row.id)],
      ['suspended since', (row) => row.suspendedAt],
    ],
    'No tenants.',
  );
  const data = found.map((row) => ({ ...row, move: describeMove(row.id) }));
  return { document: { data }, text };
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

/** A later record of the tenant topic with a higher version renames it again. */
export async function renameTenant(
  options: { tenant: string; name: string },
  context: CommandContext,
): Promise<CommandResult> {
  const name = parseName(options.name);
  const renamed = await withAdmin(context.environment, async (admin) => {
    const before = await findTenant(admin, options.tenant);
    await admin.tenants.rename(before.id, name);
    return { id: before.id, name, previousName: before.name };
  });
  return { document: renamed, text: formatFields(Object.entries(renamed)) };
}

export async function setSuspended(
  tenant: string,
  isSuspended: boolean,
  context: CommandContext,
): Promise<CommandResult> {
  const changed = await withAdmin(context.environment, async (admin) => {
    const found = await findTenant(admin, tenant);
    const { id, name, suspendedAt } = await admin.tenants.setSuspended(found.id, isSuspended);
    return { id, name, suspendedAt };
  });
  return { document: changed, text: formatFields(Object.entries(changed)) };
}

export interface MoveOptions {
  readonly tenant: string;
  readonly org?: string;
  readonly retainKeys: boolean;
  readonly yes: boolean;
}

/** Shows what a move changes, and does it with `--yes`. Records of the tenant topic never move a tenant. */
export async function moveTenant(options: MoveOptions, context: CommandContext): Promise<CommandResult> {
  if (options.org === undefined) throw usageError('name what the tenant moves to: --org or --cell');
  const toId = options.org === 'none' ? null : parseGuid(options.org, '--org');
  const document = await withAdmin(context.environment, async (admin) => {
    const tenant = await findTenant(admin, options.tenant);
    const organizations = await admin.organizations.list();
    const describe = (id: string | null) =>
      id === null ? null : { id, name: organizations.find((one) => one.id === id)?.name ?? null };
    const to = describe(toId);
    if (to?.name === null)
      throw new CommandError(`there is no organization ${to.id}; "tenantscope org list" shows them`);
    if (toId === tenant.organizationId)
      throw new CommandError(`the tenant ${tenant.id} belongs to this organization already; nothing was changed`);
    const keys = (await admin.keys.list({ tenantId: tenant.id })).filter(isActive);
    const ended = options.yes
      ? await admin.tenants.move(tenant, { organizationId: toId, retainKeys: options.retainKeys })
      : options.retainKeys
        ? 0
        : keys.length;
    return {
      id: tenant.id,
      name: tenant.name,
      from: describe(tenant.organizationId),
      to,
      activeKeys: keys.length,
      revokedKeys: ended,
      moved: options.yes,
    };
  });
  const { from, to, ...fields } = document;
  const formatOrganization = (one: { id: string; name: string | null } | null) =>
    one === null ? 'none' : `${one.name ?? 'unknown'} (${one.id})`;
  const text = formatFields(Object.entries({ ...fields, from: formatOrganization(from), to: formatOrganization(to) }));
  return {
    document,
    text: options.yes ? text : `${text}\nNothing was changed. Repeat the command with --yes to move it.`,
  };
}

function isActive({ revokedAt, expiresAt }: { readonly revokedAt: string | null; readonly expiresAt: string | null }) {
  return revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > Date.now());
}
