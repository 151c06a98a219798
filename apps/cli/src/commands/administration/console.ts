import { userInfo } from 'node:os';
import { connectConsole } from '@tenantscope/store/console';
import { withAdmin } from '../../connections/admin-connection.ts';
import { readAdminUrls } from '../../connections/connection-settings.ts';
import { withDatabaseErrors } from '../../connections/database-errors.ts';
import type { CommandContext } from '../../context.ts';
import { parseGuid } from '../../input/option-parsers.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatFields } from '../../output/table.ts';
import { selectOrganization } from '../directory/organization.ts';

/**
 * Creates a one-time token, valid for 15 minutes, that sets up one console administrator: the first one, or a replacement when every administrator
 * is locked out.
 */
export async function setUpConsole(options: { org?: string }, context: CommandContext): Promise<CommandResult> {
  const organizationId = options.org === undefined ? null : parseGuid(options.org, '--org');
  const organization = await withAdmin(context.environment, async (admin) =>
    selectOrganization(await admin.organizations.list(), organizationId),
  );
  const urls = readAdminUrls(context.environment);
  const token = await withDatabaseErrors(urls.control, 'TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL', async () => {
    await using store = await connectConsole(urls);
    const by = { actor: `cli:${userInfo().username}`, sessionId: null, requestId: null };
    return await store.transaction(by, (transaction) => store.signIns.createSetUpToken(transaction, organization.id));
  });
  const origin = context.environment.TENANTSCOPE_CONSOLE_URL;
  const link = origin === undefined ? null : `${origin}/console/set-up#${token}`;
  const document = { organizationId: organization.id, token, link };
  const lines: [string, string][] = [
    ['organization', organization.name],
    ['token', token],
    ...(link === null ? [] : [['open', link] as [string, string]]),
  ];
  return { document, text: `${formatFields(lines)}\nThe token is valid for one account and 15 minutes.` };
}
