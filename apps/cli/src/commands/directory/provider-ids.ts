import { usageError } from '../../command-error.ts';
import { findTenant, withAdmin } from '../../connections/admin-connection.ts';
import type { CommandContext } from '../../context.ts';
import type { CommandResult } from '../../output/command-result.ts';

/** Adds or removes an id of a tenant at a provider. Ingestion uses it within 30 s, and at once where a record names it. */
export async function changeProviderIds(
  change: 'add-provider-id' | 'remove-provider-id',
  text: string,
  options: { readonly tenant: string },
  context: CommandContext,
): Promise<CommandResult> {
  const providerId = parseProviderId(text);
  const changed = await withAdmin(context.environment, async (admin) => {
    const { id } = await findTenant(admin, options.tenant);
    return change === 'add-provider-id'
      ? admin.tenants.addProviderId(id, providerId)
      : admin.tenants.removeProviderId(id, providerId);
  });
  const { id, name, providerIds } = changed;
  const ids = providerIds.length === 0 ? 'no provider ids' : `the provider ids ${providerIds.join(', ')}`;
  return { document: { id, name, providerIds }, text: `${name} (${id}) has ${ids}.` };
}

/** It is compared with members of records, without their surrounding spaces. */
function parseProviderId(text: string): string {
  const trimmed = text.trim();
  if (trimmed !== '' && trimmed.length <= 200 && !/\p{Cc}/u.test(trimmed)) return trimmed;
  throw usageError('the id must have 1 to 200 characters without control characters');
}
