import { CommandError } from '../../command-error.ts';
import { findTenant, withAdmin } from '../../connections/admin-connection.ts';
import type { CommandContext } from '../../context.ts';
import { parseInteger } from '../../input/option-parsers.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatFields } from '../../output/table.ts';

/** Evidence reads half a year back. */
const minDays = 183;

/** Shows for how many days the log of a tenant is stored, or changes it with `--days`. */
export async function changeRetention(
  options: { tenant: string; days?: string },
  context: CommandContext,
): Promise<CommandResult> {
  const { days } = options;
  const document = await withAdmin(context.environment, async (admin) => {
    const { id, name, closedAt } = await findTenant(admin, options.tenant);
    const { installationDays } = await admin.tenants.readRetention(id);
    if (days !== undefined) {
      if (closedAt !== null) throw new CommandError(`the tenant ${id} is closed`);
      const own = days === 'default' ? null : parseInteger(days, '--days', { from: minDays, to: installationDays });
      await admin.tenants.setRetention(id, own);
    }
    const { ownDays, droppedBefore } = await admin.tenants.readRetention(id);
    return { id, name, retentionDays: ownDays ?? installationDays, isDefault: ownDays === null, droppedBefore };
  });
  return { document, text: formatFields(Object.entries(document)) };
}
