import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useWords } from '../words/words.tsx';
import { Failure } from './failure.tsx';

/** A question without an answer so far. That it failed stays said while it is asked again. */
export function Unanswered({ query: { error, refetch } }: { query: Pick<UseQueryResult, 'error' | 'refetch'> }) {
  const [last, setLast] = useState(error);
  if (error !== null && error !== last) setLast(error);
  return last === null ? <Skeleton /> : <Failure error={last} again={() => void refetch()} />;
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
