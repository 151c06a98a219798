import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useContext } from 'react';
import { Answered, Recovered, useSilent } from '../frame/beating.ts';
import { Of } from '../of.ts';
import { silentOf } from '../silence.ts';
import { clock, useWords } from '../words/words.tsx';
import { Unanswered } from './unanswered.tsx';

interface Given<Answer> {
  readonly query: UseQueryResult<Answer>;
  readonly children: (answer: Answer) => ReactNode;
}

/** An answer in each of its states. What was known stays in sight while nothing answers, and says of when it is. */
export function Asked<Answer>({ query, children }: Given<Answer>) {
  const { data, dataUpdatedAt } = query;
  if (data === undefined) return <Unanswered query={query} />;
  return (
    <>
      <Stale query={query} />
      <Of value={dataUpdatedAt}>{children(data)}</Of>
    </>
  );
}

/** Where the frame says it already, of everything, it is not said once more. */
function Stale({ query: { error, errorUpdatedAt, dataUpdatedAt, refetch } }: { query: UseQueryResult<unknown> }) {
  const { states } = useWords();
  const isSaid = useSilent() !== null;
  const answeredMs = useContext(Answered);
  const recoveredMs = useContext(Recovered);
  if (error === null || isSaid) return null;
  const silent = silentOf(error);
  // The frame is about to find out, or has found out that it is over.
  if (silent !== null && (answeredMs < errorUpdatedAt || errorUpdatedAt <= recoveredMs)) return null;
  const time = clock(new Date(dataUpdatedAt).toISOString()).slice(0, 8);
  return (
    <div className="note note-warn row apart" role="status">
      <span>
        ▲ {silent === null ? states.staleBecause(time, error.message) : states.stale(time, states.who[silent])}
      </span>
      <button type="button" onClick={() => void refetch()}>
        {states.again}
      </button>
    </div>
  );
}
