import type { Organization } from '@tenantscope/store/admin';
import { usageError } from '../../command-error.ts';
import { withAdmin } from '../../connections/admin-connection.ts';
import type { CommandContext } from '../../context.ts';
import { parseName } from '../../input/option-parsers.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatFields, formatTable } from '../../output/table.ts';

export async function createOrganization(options: { name: string }, context: CommandContext): Promise<CommandResult> {
  const input = { name: parseName(options.name) };
  const created = await withAdmin(context.environment, (admin) => admin.organizations.create(input));
  return {
    document: created,
    text: formatFields([
      ['id', created.id],
      ['name', created.name],
    ]),
  };
}

export async function listOrganizations(context: CommandContext): Promise<CommandResult> {
  const found = await withAdmin(context.environment, (admin) => admin.organizations.list());
  const text = formatTable(
    found,
    [
      ['id', (row) => row.id],
      ['name', (row) => row.name],
    ],
    'No organizations.',
  );
  return { document: { data: found }, text };
}

/** The organization with the given id, or the only one. */
export function selectOrganization(organizations: readonly Organization[], input: string | null): Organization {
  const found = input === null ? organizations : organizations.filter(({ id }) => id === input);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (input !== null) throw usageError(`no organization ${input}; see "tenantscope org list"`);
  throw usageError(
    organizations.length === 0
      ? 'there is no organization; create one with "tenantscope org create"'
      : 'there are several organizations; select one with --org (see "tenantscope org list")',
  );
}
