import { useBlocker } from '@tanstack/react-router';

/** Asks before the page is left while it shows what cannot be shown again. */
export function useHold(isHeld: boolean, words: string): void {
  useBlocker({
    shouldBlockFn: () => isHeld && !window.confirm(words),
    enableBeforeUnload: () => isHeld,
    disabled: !isHeld,
  });
}
