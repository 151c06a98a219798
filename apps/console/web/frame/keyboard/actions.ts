import { useLayoutEffect, useRef } from 'react';

/** An action that a key or the palette runs in the frame or in the current screen. */
export type ActionName = 'palette' | 'help' | 'find' | 'new' | 'verify';

const handlers = new Map<ActionName, () => void>();
let awaited: { readonly name: ActionName; readonly untilMs: number } | null = null;
/** An action is dropped if its screen takes longer to load. */
const maxWaitMs = 5_000;

/** Runs the action if a mounted component handles it; returns whether one does. */
export function runAction(name: ActionName): boolean {
  const handler = handlers.get(name);
  handler?.();
  return handler !== undefined;
}

/** Runs the action now, or as soon as a component that handles it is mounted. */
export function runActionWhenReady(name: ActionName): void {
  if (!runAction(name)) awaited = { name, untilMs: Date.now() + maxWaitMs };
}

/** Handles the action while the component is mounted. */
export function useAction(name: ActionName, handler: () => void): void {
  const latest = useRef(handler);
  useLayoutEffect(() => {
    latest.current = handler;
  });
  useLayoutEffect(() => {
    const perform = () => latest.current();
    handlers.set(name, perform);
    if (awaited?.name === name && Date.now() < awaited.untilMs) {
      awaited = null;
      perform();
    }
    return () => {
      if (handlers.get(name) === perform) handlers.delete(name);
    };
  }, [name]);
}
