import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { change } from '../ask.ts';

/** Leaves, also at the identity provider where one signed in there. */
export function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    const { signOutUrl } = await change<{ signOutUrl?: string }>('/sign-out');
    if (signOutUrl) return location.assign(signOutUrl);
    await navigate({ to: '/sign-in', search: {} });
    // All that was known to who left; the sign-in screen asks for its ways in already.
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'ways-in' });
  };
}
