import { connectConsole, roles } from '@tenantscope/store/console';
import { usageError } from '../../command-error.ts';
import { currentOperator, findTenant, withAdmin } from '../../connections/admin-connection.ts';
import { readAdminUrls } from '../../connections/connection-settings.ts';
import { withDatabaseErrors } from '../../connections/database-errors.ts';
import type { CommandContext } from '../../context.ts';
import { parseChoice, parseGuid } from '../../input/option-parsers.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatFields } from '../../output/table.ts';
import { selectOrganization } from '../directory/organization.ts';

export interface SetUpOptions {
  readonly org?: string;
  readonly role: string;
  readonly tenant?: readonly string[];
}

/**
 * Creates a one-time token, valid for 15 minutes, that sets up one console account: the first administrator, a replacement when every administrator
 * is locked out, or another member.
 */
export async function setUpConsole(options: SetUpOptions, context: CommandContext): Promise<CommandResult> {
  const organizationId = options.org === undefined ? null : parseGuid(options.org, '--org');
  const role = parseChoice(options.role, roles, '--role');
  const tenantIds = options.tenant?.map((id) => parseGuid(id, '--tenant')) ?? null;
  const organization = await withAdmin(context.environment, async (admin) => {
    const selected = selectOrganization(await admin.organizations.list(), organizationId);
    for (const id of tenantIds ?? [])
      if ((await findTenant(admin, id)).organizationId !== selected.id)
        throw usageError(`--tenant ${id} belongs to another organization than ${selected.id}`);
    return selected;
  });
  const urls = readAdminUrls(context.environment);
  const token = await withDatabaseErrors(urls.control, 'TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL', async () => {
    await using store = await connectConsole(urls);
    const by = { actor: currentOperator(), sessionId: null, requestId: null };
    return await store.transaction(by, (transaction) =>
      store.setUpTokens.create(transaction, { organizationId: organization.id, role, tenantIds }),
    );
  });
  const origin = context.environment.TENANTSCOPE_CONSOLE_URL;
  const link = origin === undefined ? null : `${origin}/console/set-up#${token}`;
  const document = { organizationId: organization.id, role, tenantIds, token, link };
  const lines: [string, string][] = [
    ['organization', organization.name],
    ['role', role],
    ['tenants', tenantIds === null ? 'all' : tenantIds.join(', ')],
    ['token', token],
    ...(link === null ? [] : [['open', link] as [string, string]]),
  ];
  return { document, text: `${formatFields(lines)}\nThe token is valid for one account and 15 minutes.` };
}
