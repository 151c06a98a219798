import { useLayoutEffect, useRef } from 'react';

/** What a key or the palette can ask of the frame or of the screen in sight. */
export type ActName = 'palette' | 'help' | 'find' | 'new' | 'verify';

const acts = new Map<ActName, () => void>();
let awaited: { readonly name: ActName; readonly untilMs: number } | null = null;
/** A screen that took longer to come is not the one that was meant. */
const patienceMs = 5_000;

/** Whether something in sight could do it. */
export function perform(name: ActName): boolean {
  const act = acts.get(name);
  act?.();
  return act !== undefined;
}

/** Now, or as soon as the screen that can do it stands. */
export function performSoon(name: ActName): void {
  if (!perform(name)) awaited = { name, untilMs: Date.now() + patienceMs };
}

/** Says what an act means as long as this stands. */
export function useAct(name: ActName, act: () => void): void {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  useLayoutEffect(() => {
    const perform = () => latest.current();
    acts.set(name, perform);
    if (awaited?.name === name && Date.now() < awaited.untilMs) {
      awaited = null;
      perform();
    }
    return () => {
      if (acts.get(name) === perform) acts.delete(name);
    };
  }, [name]);
}
