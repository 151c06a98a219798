import { useQuery } from '@tanstack/react-query';
import { ask } from './ask.ts';
import type { ListedPerson } from './asked.ts';

/** Names of people by how the audit calls them: `person:` and an id. For administrators. */
export function useNames(isAdmin = true): ReadonlyMap<string, string> {
  const listed = useQuery({
    queryKey: ['people'],
    queryFn: ({ signal }) => ask<{ people: ListedPerson[] }>('/people', signal),
    staleTime: 60_000,
    enabled: isAdmin,
  });
  return new Map(listed.data?.people.map(({ id, name }) => [`person:${id}`, name]));
}
