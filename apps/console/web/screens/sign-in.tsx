import { useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { broadcast } from '../client/session.ts';
import { useLabels } from '../labels/language.tsx';
import { SignInForm } from '../parts/auth/sign-in-form.tsx';
import { PublicLayout } from '../parts/public-layout.tsx';

export function SignIn() {
  const { signIn } = useLabels();
  const { to = '/', ended } = useSearch({ from: '/sign-in' });
  const router = useRouter();
  const client = useQueryClient();
  const done = () => {
    broadcast('signed in');
    client.removeQueries({ queryKey: ['me'] });
    // In place of this page: who goes back from inside does not want to sign in again.
    router.history.replace(`/console${to}`);
  };
  return (
    <PublicLayout title={signIn.title} description={signIn.about}>
      {ended && (
        <p className="note note-warn" role="status">
          {signIn.ended}
        </p>
      )}
      <SignInForm done={done} to={`/console${to}`} />
      <p className="hint">
        {signIn.noAccount} <code>npx tenantscope console set-up</code>
      </p>
    </PublicLayout>
  );
}
