import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useLabels } from '../../labels/language.tsx';
import { ErrorMessage } from './error-message.tsx';

/** A query without data yet. Its last error stays visible while it is sent again. */
export function PendingQuery({ query: { error, refetch } }: { query: Pick<UseQueryResult, 'error' | 'refetch'> }) {
  const [last, setLast] = useState(error);
  if (error !== null && error !== last) setLast(error);
  return last === null ? <Skeleton /> : <ErrorMessage error={last} again={() => void refetch()} />;
}

function Skeleton() {
  const { states } = useLabels();
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
