import type { Organization } from '@tenantscope/store';
import { withAdmin } from './admin.ts';
import type { Answer } from './answer.ts';
import { name } from './arguments.ts';
import { misused } from './failure.ts';
import type { Surroundings } from './surroundings.ts';
import { listing, table } from './table.ts';

export async function createOrganization(options: { name: string }, around: Surroundings): Promise<Answer> {
  const wanted = { name: name(options.name) };
  const made = await withAdmin(around.environment, (admin) => admin.organizations.create(wanted));
  return {
    document: made,
    text: listing([
      ['id', made.id],
      ['name', made.name],
    ]),
  };
}

export async function listOrganizations(around: Surroundings): Promise<Answer> {
  const found = await withAdmin(around.environment, (admin) => admin.organizations.list());
  const text = table(
    found,
    [
      ['id', (row) => row.id],
      ['name', (row) => row.name],
    ],
    'There is no organization yet.',
  );
  return { document: { data: found }, text };
}

/** The one that was named, or the only one. */
export function chosenOrganization(organizations: readonly Organization[], wanted: string | null): Organization {
  const found = wanted === null ? organizations : organizations.filter(({ id }) => id === wanted);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (wanted !== null) throw misused(`there is no organization ${wanted}; «org list» shows them`);
  throw misused(
    organizations.length === 0
      ? 'there is no organization yet: «org create» makes one'
      : 'there are several organizations: name one with --org; «org list» shows them',
  );
}
