import { useBlocker } from '@tanstack/react-router';

/** Asks for confirmation before the user leaves a page whose content cannot be shown again. */
export function useLeaveGuard(isActive: boolean, message: string): void {
  useBlocker({
    shouldBlockFn: () => isActive && !window.confirm(message),
    enableBeforeUnload: () => isActive,
    disabled: !isActive,
  });
}
