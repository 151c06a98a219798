import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';
import { ask, change } from '../ask.ts';
import type { Me, WaysIn } from '../asked.ts';
import { askPasskey, knowsPasskeys } from '../passkey.ts';
import { useWords } from '../words/words.tsx';
import { Asked } from './asked.tsx';
import { Beside } from './beside.tsx';
import { LocalProof } from './local-proof.tsx';
import { ProofFailure } from './proof-failure.tsx';

interface Given {
  readonly done: () => void;
  /** Where single sign-on leads back to; null: to a window of its own, since the page has to stay. */
  readonly to: string | null;
  /** Of whom the page is; null: of nobody yet. */
  readonly source?: Source | null;
  /** Below the ways in, once they are there. */
  readonly children?: ReactNode;
}

type Source = Me['person']['source'];

interface Way {
  readonly of: Source;
  readonly draw: (look: 'primary' | '') => ReactNode;
}

/** Every way in that the server offers, the shortest first; where the page is somebody’s, those of theirs. */
export function SignInForm({ done, to, source = null, children }: Given) {
  const { signIn } = useWords();
  const ways = useQuery({
    queryKey: ['ways-in'],
    queryFn: ({ signal }) => ask<WaysIn>('/sign-in', signal),
    // Why a round was refused is told once.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const enter = async (work: () => Promise<unknown>) => {
    setError(null);
    setBusy(true);
    try {
      await work();
      done();
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  };

  const offered = ({ oidc, local, passkey, demo }: WaysIn): Way[] => {
    const isOwn = (of: Source) => source === null || source === of;
    const hasOneClick = (demo && isOwn('demo')) || (oidc !== null && isOwn('oidc'));
    const ways: (Way | false | null)[] = [
      demo && {
        of: 'demo',
        draw: (look) => (
          <div className="stack-tight">
            <button
              type="button"
              className={look}
              disabled={isBusy}
              onClick={() => void enter(() => change('/sign-in/demo'))}
            >
              {signIn.demo}
            </button>
            <p className="hint">{signIn.demoHint}</p>
          </div>
        ),
      },
      oidc && {
        of: 'oidc',
        draw: (look) =>
          to === null ? (
            <Beside search={{}} className={`button ${look}`} done={done}>
              {signIn.oidc(oidc.name)}
            </Beside>
          ) : (
            <a className={`button ${look}`} href={`/console/auth/start?${new URLSearchParams({ to })}`}>
              {signIn.oidc(oidc.name)}
            </a>
          ),
      },
      passkey &&
        knowsPasskeys && {
          of: 'local',
          draw: (look) => (
            <button
              type="button"
              className={look}
              disabled={isBusy}
              onClick={() =>
                void enter(async () => change('/sign-in/passkey/verify', { response: await askPasskey() }))
              }
            >
              {signIn.passkey}
            </button>
          ),
        },
      local && {
        of: 'local',
        draw: (look) => {
          const own = (
            <LocalProof
              hasName
              isFirst={look === 'primary'}
              prove={(body) => enter(() => change('/sign-in/local', body))}
            />
          );
          return hasOneClick ? (
            <details>
              <summary>{signIn.local}</summary>
              {own}
            </details>
          ) : (
            own
          );
        },
      },
    ];
    return ways.filter((way) => way !== false && way !== null).filter(({ of }) => isOwn(of));
  };

  return (
    <Asked query={ways}>
      {(answer) => {
        const shown = offered(answer);
        return (
          <div className="panel ways" ref={to === null ? beginAtFirst : undefined}>
            {answer.refused && (
              <p className="note note-bad" role="alert">
                {answer.refused.message}
              </p>
            )}
            {shown.map((way, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the ways of one answer keep their places
              <Fragment key={n}>
                {n > 0 && <span className="or">{signIn.or}</span>}
                {way.draw(n === 0 ? 'primary' : '')}
              </Fragment>
            ))}
            {shown.length === 0 && <p>{signIn.closed}</p>}
            {error !== null && <ProofFailure error={error} />}
            {children}
          </div>
        );
      }}
    </Asked>
  );
}

/** Over a screen one was at work on, the first way in has the focus: nothing else may be pressed by what was being typed. */
function beginAtFirst(ways: HTMLElement | null): void {
  ways?.querySelector<HTMLElement>('a, button, input')?.focus();
}
