import { useMutationState } from '@tanstack/react-query';
import { useLabels } from '../../labels/language.tsx';
import { ErrorMessage } from '../../parts/query/error-message.tsx';
import { signOutMutationKey, useSignOut } from '../sign-out.ts';

/** A failed sign-out is shown on every screen: the user is still signed in. */
export function SignOutError() {
  const { signIn } = useLabels();
  const failed = useMutationState({ filters: { mutationKey: signOutMutationKey }, select: ({ state }) => state }).at(
    -1,
  );
  const signOut = useSignOut();
  if (failed?.status !== 'error') return null;
  return (
    <div className="stack-tight">
      <strong>{signIn.signOutFailed}</strong>
      <ErrorMessage error={failed.error} again={signOut} />
    </div>
  );
}
