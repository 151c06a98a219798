import { createContext, useContext } from 'react';

export const DataTime = createContext<number | null>(null);

/** Epoch ms of the shown data. Later values are unknown, not zero. */
export const useDataTime = (): number => useContext(DataTime) ?? Date.now();
