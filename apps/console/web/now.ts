import { useSyncExternalStore } from 'react';

const intervalMs = 1_000;
const listeners = new Set<() => void>();
const notify = () => {
  for (const listener of listeners) listener();
};

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    ticking = setInterval(notify, intervalMs);
    // Timers of background pages are throttled, and stop while the machine sleeps.
    document.addEventListener('visibilitychange', notify);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticking);
    document.removeEventListener('visibilitychange', notify);
  };
}
let ticking: ReturnType<typeof setInterval> | undefined;

/** A value computed from the current time; the component renders again when it changes. */
export function useNow<Value extends string | number | boolean | null>(compute: (nowMs: number) => Value): Value {
  return useSyncExternalStore(subscribe, () => compute(Date.now()));
}
