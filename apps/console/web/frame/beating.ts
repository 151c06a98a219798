import { createContext, useContext } from 'react';
import type { Silent } from '../silence.ts';

export const Beating = createContext<Silent | null>(null);

/** When the frame was last answered, in epoch ms; outside it nobody asks for others. */
export const Answered = createContext(Number.POSITIVE_INFINITY);

/** Since when everybody answers again, in epoch ms: what failed earlier is asked anew already. */
export const Recovered = createContext(0);

/** Who does not answer at the moment, as the frame of every screen finds out; null: everybody does. */
export const useSilent = (): Silent | null => useContext(Beating);
