import { tell } from '../session.ts';
import { useWords } from '../words/words.tsx';
import { Dialog } from './dialog.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** Asks who it is over the screen, which stays as it is. There is no way around it. */
export function SignInAgain({ done }: { done: () => void }) {
  const { frame } = useWords();
  return (
    <Dialog title={frame.expired} close={() => {}} isHeld>
      <p>{frame.expiredWords}</p>
      <SignInForm
        to={null}
        done={() => {
          tell('signed in');
          done();
        }}
      />
    </Dialog>
  );
}
