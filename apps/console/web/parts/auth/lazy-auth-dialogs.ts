import { lazy } from 'react';

const loadSessionExpired = async () => ({
  default: (await import('./session-expired-dialog.tsx')).SessionExpiredDialog,
});
const loadReauthenticate = async () => ({
  default: (await import('./reauthenticate-dialog.tsx')).ReauthenticateDialog,
});

/** The sign-in dialogs over a screen; seldom needed, so they are not in the first bundle. */
export const SessionExpiredDialog = lazy(loadSessionExpired);
export const ReauthenticateDialog = lazy(loadReauthenticate);

const preloadDelayMs = 3_000;

/** Loads them soon after the first screen: by the time they are needed the server may run another version. */
export function preloadAuthDialogs(): void {
  setTimeout(() => {
    for (const load of [loadSessionExpired, loadReauthenticate]) load().catch(() => {});
  }, preloadDelayMs);
}
