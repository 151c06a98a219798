import { createContext, useContext } from 'react';

export const Of = createContext<number | null>(null);

/** Epoch ms of what is shown. What came later is not known, and is no zero. */
export const useOfMs = (): number => useContext(Of) ?? Date.now();
