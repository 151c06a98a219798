import type { Window } from '@tenantscope/contract';
import type { FeedHistory } from '@tenantscope/store/read';

/** A window without the rows before the stored history, which may be about to be deleted. */
export function omitExpired<One extends Window>(window: One, history: FeedHistory | null): One {
  const droppedBeforeMs = history?.droppedBeforeMs ?? null;
  if (droppedBeforeMs === null) return window;
  return { ...window, fromMs: Math.max(window.fromMs ?? droppedBeforeMs, droppedBeforeMs) };
}
