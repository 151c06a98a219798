import { useMutationState } from '@tanstack/react-query';
import { Failure } from '../parts/failure.tsx';
import { useWords } from '../words/words.tsx';
import { signingOut, useSignOut } from './sign-out.ts';

/** Signing out that failed is said on every screen: whoever wanted to leave is still in. */
export function NotOut() {
  const { signIn } = useWords();
  const failed = useMutationState({ filters: { mutationKey: signingOut }, select: ({ state }) => state }).at(-1);
  const signOut = useSignOut();
  if (failed?.status !== 'error') return null;
  return (
    <div className="stack-tight">
      <strong>{signIn.stillIn}</strong>
      <Failure error={failed.error} again={signOut} />
    </div>
  );
}
