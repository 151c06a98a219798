import { Suspense, useState } from 'react';
import { NoAnswer, Refused } from '../ask.ts';
import { useWords } from '../words/words.tsx';
import { ProveAgain } from './asking-who.ts';

/** What failed, where it failed, in the server's own words; and what can be done about it. */
export function Failure({ error, again }: { error: unknown; again?: (() => void) | undefined }) {
  const { states, frame } = useWords();
  const [isAsked, setAsked] = useState(false);
  const refused = error instanceof Refused ? error : null;
  const asksWho = refused?.code === 'REAUTHENTICATE';
  return (
    <div className="failure" role="alert">
      <span>
        <strong>{refused?.code === 'FORBIDDEN' ? states.forbidden : states.error}.</strong>{' '}
        {error instanceof NoAnswer ? (
          [states.silent.console, ...(error.mayBeDone ? [states.perhapsDone] : [])].join(' ')
        ) : refused ? (
          <span lang="en">{refused.message}</span>
        ) : error instanceof Error ? (
          error.message
        ) : (
          String(error)
        )}
        {refused?.requestId && (
          <span className="muted">
            {' '}
            {states.request} <code>{refused.requestId}</code>
          </span>
        )}
      </span>
      {asksWho && (
        <button type="button" onClick={() => setAsked(true)}>
          {frame.confirm}
        </button>
      )}
      {again && !asksWho && refused?.code !== 'FORBIDDEN' && (
        <button type="button" onClick={again}>
          {states.again}
        </button>
      )}
      {isAsked && (
        <Suspense>
          <ProveAgain
            close={() => setAsked(false)}
            done={() => {
              setAsked(false);
              again?.();
            }}
          />
        </Suspense>
      )}
    </div>
  );
}
