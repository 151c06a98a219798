import { useMutation, useQueryClient } from '@tanstack/react-query';
import { signOut } from '../../api/sign-in.ts';
import { call } from '../client/api-client.ts';
import { broadcast, endSession, resumeRequests, suspendRequests } from '../client/session.ts';

/** The frame finds a failed sign-out by this key. */
export const signOutMutationKey = ['sign-out'] as const;

/** Signs out, also at the identity provider of a single sign-on, and clears the other windows of this browser. */
export function useSignOut(): () => void {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationKey: signOutMutationKey,
    async mutationFn() {
      suspendRequests();
      await client.cancelQueries();
      return call(signOut, {});
    },
    onSuccess: ({ signOutUrl = '/console/sign-in' }) => {
      broadcast('signed out');
      endSession(signOutUrl);
    },
    onError: resumeRequests,
  });
  return () => mutate();
}
