import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useNow } from '../now.ts';
import { type Silent, silentOf } from '../silence.ts';
import { Answered, Beating, Recovered } from './beating.ts';
import { useSettled } from './settled-line.tsx';

/** Twice missed: a page that was asleep, or whose question hangs, knows nothing any more. */
const oldMs = 8_000;

/** One question, asked every two seconds, tells every screen whether what it shows can still be confirmed; when it can, all of it is asked anew. */
export function Pulse({ isOver, children }: { isOver: boolean; children: ReactNode }) {
  const client = useQueryClient();
  const { data, error, dataUpdatedAt } = useSettled();
  const isOld = useNow((nowMs) => data !== undefined && nowMs - dataUpdatedAt > oldMs);
  // With the session over nothing is asked, and nobody is silent.
  const silent: Silent | null = isOver ? null : (silentOf(error) ?? (isOld ? 'console' : null));
  const [before, setBefore] = useState(silent);
  const [recoveredMs, setRecovered] = useState(0);
  if (before !== silent) {
    setBefore(silent);
    if (silent === null) setRecovered(Date.now());
  }
  const wasSilent = useRef(false);
  useEffect(() => {
    if (wasSilent.current && silent === null) void client.invalidateQueries();
    wasSilent.current = silent !== null;
  }, [silent, client]);
  return (
    <Beating value={silent}>
      <Recovered value={recoveredMs}>
        <Answered value={dataUpdatedAt}>{children}</Answered>
      </Recovered>
    </Beating>
  );
}
