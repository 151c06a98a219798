import { broadcast, endSession } from '../../client/session.ts';
import { useCurrentUser } from '../../frame/current-user.ts';
import { useLabels } from '../../labels/language.tsx';
import { Dialog } from '../dialog.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** Signs in again over the screen, which stays as it is. It cannot be dismissed. */
export function SessionExpiredDialog({ done }: { done: () => void }) {
  const { frame, signIn } = useLabels();
  const { name, source } = useCurrentUser().member;
  return (
    <Dialog title={frame.expired} close={() => {}} isPersistent>
      <p>{frame.expiredHelp}</p>
      <SignInForm
        source={source}
        to={null}
        done={() => {
          broadcast('signed in');
          done();
        }}
      >
        <div>
          <button type="button" className="plain leave" onClick={() => endSession('/console/sign-in')}>
            {signIn.notYou(name)}
          </button>
        </div>
      </SignInForm>
    </Dialog>
  );
}
