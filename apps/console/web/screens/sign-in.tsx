import { useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { Door } from '../parts/door.tsx';
import { SignInForm } from '../parts/sign-in-form.tsx';
import { tell } from '../session.ts';
import { useWords } from '../words/words.tsx';

export function SignIn() {
  const { signIn } = useWords();
  const { to = '/', ended } = useSearch({ from: '/sign-in' });
  const router = useRouter();
  const client = useQueryClient();
  const done = () => {
    tell('signed in');
    client.removeQueries({ queryKey: ['me'] });
    // In place of this page: who goes back from inside does not want to sign in again.
    router.history.replace(`/console${to}`);
  };
  return (
    <Door title={signIn.title} words={signIn.about}>
      {ended && (
        <p className="note note-warn" role="status">
          {signIn.ended}
        </p>
      )}
      <SignInForm done={done} to={`/console${to}`} />
      <p className="hint">
        {signIn.noAccount} <code>npx tenantscope console set-up</code>
      </p>
    </Door>
  );
}
