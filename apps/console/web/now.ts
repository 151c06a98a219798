import { useSyncExternalStore } from 'react';

const everyMs = 1_000;
const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    ticking = setInterval(tell, everyMs);
    // A page in the back ticks rarely, and a machine that slept not at all.
    document.addEventListener('visibilitychange', tell);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticking);
    document.removeEventListener('visibilitychange', tell);
  };
}
let ticking: ReturnType<typeof setInterval> | undefined;

/** What depends on the clock, said anew as soon as it is not so any more. */
export function useNow<Said extends string | number | boolean | null>(say: (nowMs: number) => Said): Said {
  return useSyncExternalStore(subscribe, () => say(Date.now()));
}
