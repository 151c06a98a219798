import { createContext, useContext } from 'react';

/** Opens the dialog in which the member authenticates again, and calls back once that succeeded. */
export type Reauthenticate = (onDone: () => void) => void;

/** Provided by the frame; null outside it. */
export const Reauthentication = createContext<Reauthenticate | null>(null);

export const useReauthenticate = (): Reauthenticate | null => useContext(Reauthentication);
