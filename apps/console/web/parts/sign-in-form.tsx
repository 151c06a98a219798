import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, change } from '../ask.ts';
import type { WaysIn } from '../asked.ts';
import { askPasskey } from '../passkey.ts';
import { useWords } from '../words/words.tsx';
import { Asked } from './asked.tsx';
import { Failure } from './failure.tsx';
import { LocalProof } from './local-proof.tsx';

/** Every way in that the server offers, the shortest first. `to`: where single sign-on leads back to. */
export function SignInForm({ done, to }: { done: () => void; to: string }) {
  const { signIn } = useWords();
  const ways = useQuery({
    queryKey: ['ways-in'],
    queryFn: ({ signal }) => ask<WaysIn>('/sign-in', signal),
    // Why a round was refused is told once.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const [error, setError] = useState<unknown>(null);
  const enter = async (work: () => Promise<unknown>) => {
    setError(null);
    try {
      await work();
      done();
    } catch (refusal) {
      setError(refusal);
    }
  };
  return (
    <Asked query={ways}>
      {({ oidc, local, passkey, demo, refused }) => {
        const own = <LocalProof hasName prove={(body) => enter(() => change('/sign-in/local', body))} />;
        return (
          <div className="stack">
            {refused && (
              <p className="note note-bad" role="alert">
                {refused.message}
              </p>
            )}
            {demo && (
              <div className="stack-tight">
                <button type="button" className="primary" onClick={() => void enter(() => change('/sign-in/demo'))}>
                  {signIn.demo}
                </button>
                <p className="hint">{signIn.demoHint}</p>
              </div>
            )}
            {oidc && (
              <a className="button" href={`/console/auth/start?${new URLSearchParams({ to })}`}>
                {signIn.oidc(oidc.name)}
              </a>
            )}
            {passkey && (
              <div>
                <button
                  type="button"
                  onClick={() =>
                    void enter(async () => change('/sign-in/passkey/verify', { response: await askPasskey() }))
                  }
                >
                  {signIn.passkey}
                </button>
              </div>
            )}
            {local && !demo && !oidc && own}
            {local && (demo || oidc) && (
              <details>
                <summary>{signIn.local}</summary>
                {own}
              </details>
            )}
            {!demo && !oidc && !local && <p>{signIn.closed}</p>}
            {error !== null && <Failure error={error} />}
          </div>
        );
      }}
    </Asked>
  );
}
