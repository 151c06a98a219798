import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useContext } from 'react';
import { DataTime } from '../../client/data-time.ts';
import { unreachableComponent } from '../../client/unreachable-component.ts';
import { LastResponse, RecoveredAt, useUnreachable } from '../../frame/status/connection-status.ts';
import { timeOfDay } from '../../labels/format.ts';
import { useLabels } from '../../labels/language.tsx';
import { PendingQuery } from './pending-query.tsx';

interface Props<Data> {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}

/** The data of a query in each of its states. During an outage the last data stays visible, with its time. */
export function QueryResult<Data>({ query, children }: Props<Data>) {
  const { data, dataUpdatedAt } = query;
  if (data === undefined) return <PendingQuery query={query} />;
  return (
    <>
      <Stale query={query} />
      <DataTime value={dataUpdatedAt}>{children(data)}</DataTime>
    </>
  );
}

/** Reports a failed refresh, unless the frame already reports an outage. */
function Stale({ query: { error, errorUpdatedAt, dataUpdatedAt, refetch } }: { query: UseQueryResult<unknown> }) {
  const { states } = useLabels();
  const isReported = useUnreachable() !== null;
  const lastResponseMs = useContext(LastResponse);
  const recoveredMs = useContext(RecoveredAt);
  if (error === null || isReported) return null;
  const unreachable = unreachableComponent(error);
  // The frame is about to detect the outage, or has detected its end.
  if (unreachable !== null && (lastResponseMs < errorUpdatedAt || errorUpdatedAt <= recoveredMs)) return null;
  const time = timeOfDay(new Date(dataUpdatedAt).toISOString(), 'seconds');
  return (
    <div className="note note-warn row apart" role="status">
      <span>
        ▲{' '}
        {unreachable === null
          ? states.staleBecause(time, error.message)
          : states.stale(time, states.components[unreachable])}
      </span>
      <button type="button" onClick={() => void refetch()}>
        {states.retry}
      </button>
    </div>
  );
}
