import { useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { SignInForm } from '../parts/sign-in-form.tsx';
import { Speech } from '../parts/speech.tsx';
import { useWords } from '../words/words.tsx';

export function SignIn() {
  const { signIn, product, screens } = useWords();
  const { to = '/' } = useSearch({ from: '/sign-in' });
  const router = useRouter();
  const client = useQueryClient();
  useEffect(() => {
    document.title = `${screens.signIn} · ${product}`;
  }, [screens.signIn, product]);
  const done = () => {
    client.removeQueries({ queryKey: ['me'] });
    router.history.push(`/console${to}`);
  };
  return (
    <main className="alone">
      <div className="stack-tight">
        <span className="muted">{product}</span>
        <h1>{signIn.title}</h1>
      </div>
      <SignInForm done={done} to={`/console${to}`} />
      <Speech />
    </main>
  );
}
