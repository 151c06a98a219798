import { lazy } from 'react';

const signInAgain = () => import('./sign-in-again.tsx').then(({ SignInAgain }) => ({ default: SignInAgain }));
const proveAgain = () => import('./prove-again.tsx').then(({ ProveAgain }) => ({ default: ProveAgain }));

/** The dialogs that ask who it is: wanted seldom, and then over a screen that stays. */
export const SignInAgain = lazy(signInAgain);
export const ProveAgain = lazy(proveAgain);

const calmMs = 3_000;

/** Loads them when the first screen stands: by the time they are wanted the server may have others. */
export function fetchAhead(): void {
  setTimeout(() => {
    for (const load of [signInAgain, proveAgain]) load().catch(() => {});
  }, calmMs);
}
