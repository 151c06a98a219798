import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ask, change } from '../ask.ts';
import type { WaysIn } from '../asked.ts';
import { useWords } from '../words/words.tsx';
import { Asked } from './asked.tsx';
import { Failure } from './failure.tsx';

/** Every way in that the server offers, the shortest first. */
export function SignInForm({ done }: { done: () => void }) {
  const { signIn } = useWords();
  const ways = useQuery({ queryKey: ['ways-in'], queryFn: ({ signal }) => ask<WaysIn>('/sign-in', signal) });
  const [error, setError] = useState<unknown>(null);
  const enter = async (path: string, body: object = {}) => {
    setError(null);
    try {
      await change(`/sign-in/${path}`, body);
      done();
    } catch (refusal) {
      setError(refusal);
    }
  };
  return (
    <Asked query={ways}>
      {({ oidc, local, demo }) => (
        <div className="stack">
          {demo && (
            <div className="stack-tight">
              <button type="button" className="primary" onClick={() => void enter('demo')}>
                {signIn.demo}
              </button>
              <p className="hint">{signIn.demoHint}</p>
            </div>
          )}
          {oidc && (
            <a className="button" href="/console/auth/start">
              {signIn.oidc(oidc.name)}
            </a>
          )}
          {local &&
            (demo || oidc ? (
              <details>
                <summary>{signIn.local}</summary>
                <Local enter={(body) => enter('local', body)} />
              </details>
            ) : (
              <Local enter={(body) => enter('local', body)} />
            ))}
          {!demo && !oidc && !local && <p>{signIn.closed}</p>}
          {error !== null && <Failure error={error} />}
        </div>
      )}
    </Asked>
  );
}

function Local({ enter }: { enter: (body: object) => Promise<void> }) {
  const { signIn } = useWords();
  const [isBusy, setBusy] = useState(false);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setBusy(true);
    await enter(Object.fromEntries(new FormData(event.currentTarget)));
    setBusy(false);
  };
  return (
    <form className="stack local" onSubmit={(event) => void send(event)}>
      <label className="field">
        <span>{signIn.name}</span>
        <input name="name" autoComplete="username" required />
      </label>
      <label className="field">
        <span>{signIn.password}</span>
        <input name="password" type="password" autoComplete="current-password" required />
      </label>
      <label className="field">
        <span>{signIn.second}</span>
        <input name="second" className="mono" autoComplete="one-time-code" spellCheck={false} required />
      </label>
      <div>
        <button type="submit" className="primary" disabled={isBusy}>
          {signIn.submit}
        </button>
      </div>
    </form>
  );
}
