import { useMe } from '../frame/signed.ts';
import { endHere, tell } from '../session.ts';
import { useWords } from '../words/words.tsx';
import { Dialog } from './dialog.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** Asks who it is over the screen, which stays as it is. There is no way around it. */
export function SignInAgain({ done }: { done: () => void }) {
  const { frame, signIn } = useWords();
  const { name, source } = useMe().person;
  return (
    <Dialog title={frame.expired} close={() => {}} isHeld>
      <p>{frame.expiredWords}</p>
      <SignInForm
        source={source}
        to={null}
        done={() => {
          tell('signed in');
          done();
        }}
      >
        <div>
          <button type="button" className="plain leave" onClick={() => endHere('/console/sign-in')}>
            {signIn.somebodyElse(name)}
          </button>
        </div>
      </SignInForm>
    </Dialog>
  );
}
