import { userInfo } from 'node:os';
import { connectConsole } from '@tenantscope/store';
import { withAdmin } from './admin.ts';
import type { Answer } from './answer.ts';
import { guid } from './arguments.ts';
import { onDatabase } from './database-failure.ts';
import { chosenOrganization } from './org.ts';
import { adminUrls } from './settings.ts';
import type { Surroundings } from './surroundings.ts';
import { listing } from './table.ts';

/**
 * Prints a token that makes one administrator of the console, once, within a quarter of an hour: the first one, and the way back in for whoever may
 * run commands on this host.
 */
export async function setUpConsole(options: { org?: string }, around: Surroundings): Promise<Answer> {
  const wanted = options.org === undefined ? null : guid(options.org, '--org');
  const organization = await withAdmin(around.environment, async (admin) =>
    chosenOrganization(await admin.organizations.list(), wanted),
  );
  const urls = adminUrls(around.environment);
  const token = await onDatabase(urls.control, 'TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL', async () => {
    await using store = await connectConsole(urls);
    const by = { actor: `cli:${userInfo().username}`, sessionId: null, requestId: null };
    return await store.change(by, (transaction) => store.signIns.makeToken(transaction, organization.id));
  });
  const origin = around.environment.TENANTSCOPE_CONSOLE_URL;
  const link = origin === undefined ? null : `${origin}/console/set-up#${token}`;
  const document = { organizationId: organization.id, token, link };
  const lines: [string, string][] = [
    ['organization', organization.name],
    ['token', token],
    ...(link === null ? [] : [['open', link] as [string, string]]),
  ];
  return { document, text: `${listing(lines)}\nIt is good for one account, for 15 minutes.` };
}
