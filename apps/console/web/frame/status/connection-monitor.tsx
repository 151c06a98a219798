import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type Unreachable, unreachableComponent } from '../../client/unreachable-component.ts';
import { useNow } from '../../now.ts';
import { ConnectionStatus, LastResponse, RecoveredAt } from './connection-status.ts';
import { useSettled } from './settled-status.tsx';

/** Two polls missed: after sleep, or with a hanging request, the shown data may be out of date. */
const maxAgeMs = 8_000;

/** Polls every two seconds whether the console responds, reports this to every screen, and refetches everything after an outage. */
export function ConnectionMonitor({ isOver, children }: { isOver: boolean; children: ReactNode }) {
  const client = useQueryClient();
  const { data, error, dataUpdatedAt, isPlaceholderData } = useSettled();
  const isStale = useNow((nowMs) => data !== undefined && !isPlaceholderData && nowMs - dataUpdatedAt > maxAgeMs);
  // After the end of the session nothing is requested, so nothing is unreachable.
  const unreachable: Unreachable | null = isOver ? null : (unreachableComponent(error) ?? (isStale ? 'console' : null));
  const [before, setBefore] = useState(unreachable);
  const [recoveredMs, setRecovered] = useState(0);
  if (before !== unreachable) {
    setBefore(unreachable);
    if (unreachable === null) setRecovered(Date.now());
  }
  const wasUnreachable = useRef(false);
  useEffect(() => {
    if (wasUnreachable.current && unreachable === null) void client.invalidateQueries();
    wasUnreachable.current = unreachable !== null;
  }, [unreachable, client]);
  return (
    <ConnectionStatus value={unreachable}>
      <RecoveredAt value={recoveredMs}>
        <LastResponse value={dataUpdatedAt}>{children}</LastResponse>
      </RecoveredAt>
    </ConnectionStatus>
  );
}
