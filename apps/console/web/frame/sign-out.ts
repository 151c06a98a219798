import { useMutation, useQueryClient } from '@tanstack/react-query';
import { change } from '../ask.ts';
import { endHere, openDoor, shutDoor, tell } from '../session.ts';

/** By this key the frame finds a sign-out that failed. */
export const signingOut = ['sign-out'] as const;

/** Leaves, also at the identity provider where one signed in there, and takes along what other windows of this browser show. */
export function useSignOut(): () => void {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationKey: signingOut,
    async mutationFn() {
      shutDoor();
      await client.cancelQueries();
      return change<{ signOutUrl?: string }>('/sign-out');
    },
    onSuccess: ({ signOutUrl = '/console/sign-in' }) => {
      tell('signed out');
      endHere(signOutUrl);
    },
    onError: openDoor,
  });
  return () => mutate();
}
