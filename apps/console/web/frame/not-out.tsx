import { useMutationState } from '@tanstack/react-query';
import { Failure } from '../parts/failure.tsx';
import { signingOut, useSignOut } from './sign-out.ts';

/** Signing out that failed is said on every screen: whoever wanted to leave is still in. */
export function NotOut() {
  const failed = useMutationState({ filters: { mutationKey: signingOut }, select: ({ state }) => state }).at(-1);
  const signOut = useSignOut();
  return failed?.status === 'error' ? <Failure error={failed.error} again={signOut} /> : null;
}
