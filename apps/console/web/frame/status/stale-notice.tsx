import { type QueryCache, useQueryClient } from '@tanstack/react-query';
import { timeOfDay } from '../../labels/format.ts';
import { useLabels } from '../../labels/language.tsx';
import { useNow } from '../../now.ts';
import { useUnreachable } from './connection-status.ts';

/** Queries whose age does not matter to the user. */
const ignoredQueries: ReadonlySet<unknown> = new Set(['me', 'operations', 'settled', 'screen']);

/** Shown over every screen during an outage: the age of the oldest shown data, and the component that does not respond. */
export function StaleNotice() {
  const { states } = useLabels();
  const client = useQueryClient();
  const unreachable = useUnreachable();
  const oldestMs = useNow(() => (unreachable === null ? null : oldestShown(client.getQueryCache())));
  return (
    <div className="as-of" role="status">
      {unreachable !== null && (
        <div className="note note-warn row apart">
          <span>
            ▲{' '}
            {oldestMs === null
              ? states.unreachable[unreachable]
              : states.stale(timeOfDay(new Date(oldestMs).toISOString(), 'seconds'), states.components[unreachable])}
          </span>
          <button type="button" onClick={() => void client.invalidateQueries()}>
            {states.retry}
          </button>
        </div>
      )}
    </div>
  );
}

/** Epoch ms; null if the screen shows no data. */
function oldestShown(cache: QueryCache): number | null {
  const active = cache.findAll({ type: 'active', predicate: ({ queryKey }) => !ignoredQueries.has(queryKey[0]) });
  const shown = active.filter(({ state }) => state.data !== undefined);
  if (shown.length > 0) return Math.min(...shown.map(({ state }) => state.dataUpdatedAt));
  const settledAt = Math.max(0, ...cache.findAll({ queryKey: ['settled'] }).map(({ state }) => state.dataUpdatedAt));
  return active.length > 0 || !settledAt ? null : settledAt;
}
