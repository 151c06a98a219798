import { withAdmin } from './admin.ts';
import type { Answer } from './answer.ts';
import { name } from './arguments.ts';
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
