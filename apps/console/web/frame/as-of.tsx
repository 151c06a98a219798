import { type QueryCache, useQueryClient } from '@tanstack/react-query';
import { useNow } from '../now.ts';
import { clock, useWords } from '../words/words.tsx';
import { useSilent } from './beating.ts';

/** What no screen shows as news. */
const still: ReadonlySet<unknown> = new Set(['me', 'operations', 'settled', 'screen']);

/** Over every screen that cannot be confirmed: of when the oldest is that it shows, and who does not answer. */
export function AsOf() {
  const { states } = useWords();
  const client = useQueryClient();
  const silent = useSilent();
  const oldestMs = useNow(() => (silent === null ? null : oldestShown(client.getQueryCache())));
  return (
    <div className="as-of" role="status">
      {silent !== null && (
        <div className="note note-warn row apart">
          <span>
            ▲{' '}
            {oldestMs === null
              ? states.silent[silent]
              : states.stale(clock(new Date(oldestMs).toISOString()).slice(0, 8), states.who[silent])}
          </span>
          <button type="button" onClick={() => void client.invalidateQueries()}>
            {states.again}
          </button>
        </div>
      )}
    </div>
  );
}

/** Null where the screen has nothing to show. */
function oldestShown(cache: QueryCache): number | null {
  const asked = cache.findAll({ type: 'active', predicate: ({ queryKey }) => !still.has(queryKey[0]) });
  const shown = asked.filter(({ state }) => state.data !== undefined);
  if (shown.length > 0) return Math.min(...shown.map(({ state }) => state.dataUpdatedAt));
  const settledAt = cache.find({ queryKey: ['settled'] })?.state.dataUpdatedAt;
  return asked.length > 0 || !settledAt ? null : settledAt;
}
