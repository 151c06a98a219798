import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { clock, useWords } from '../words/words.tsx';
import { Failure } from './failure.tsx';

interface Given<Answer> {
  readonly query: UseQueryResult<Answer>;
  readonly children: (answer: Answer) => ReactNode;
}

/** An answer in each of its states. What was known stays in sight while nothing answers, and says of when it is. */
export function Asked<Answer>({ query, children }: Given<Answer>) {
  const { states } = useWords();
  const { data, error, dataUpdatedAt, refetch } = query;
  if (data === undefined) return error ? <Failure error={error} again={() => void refetch()} /> : <Skeleton />;
  return (
    <>
      {error && (
        <div className="note note-warn row apart" role="status">
          <span>▲ {states.stale(clock(new Date(dataUpdatedAt).toISOString()).slice(0, 8))}</span>
          <button type="button" onClick={() => void refetch()}>
            {states.again}
          </button>
        </div>
      )}
      {children(data)}
    </>
  );
}

function Skeleton() {
  const { states } = useWords();
  return (
    <div className="skeleton" role="status" aria-label={states.loading}>
      <span />
      <span />
      <span />
      <span />
      <span />
      <span />
    </div>
  );
}
