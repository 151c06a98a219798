import { useQuery } from '@tanstack/react-query';
import { listMembers } from '../../api/members.ts';
import { call } from './api-client.ts';

/** Names of members by their actor in the audit log: `member:` and an id. For administrators. */
export function useMemberNames(isAdmin = true): ReadonlyMap<string, string> {
  const listed = useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) => call(listMembers, {}, { signal }),
    staleTime: 60_000,
    enabled: isAdmin,
  });
  return new Map(listed.data?.members.map(({ id, name }) => [`member:${id}`, name]));
}
