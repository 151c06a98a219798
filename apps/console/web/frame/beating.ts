import { createContext, useContext } from 'react';
import type { Silent } from '../silence.ts';

export const Beating = createContext<Silent | null>(null);

/** Who does not answer at the moment, as the frame of every screen finds out; null: everybody does. */
export const useSilent = (): Silent | null => useContext(Beating);
