import { createContext, useContext } from 'react';
import type { Unreachable } from '../../client/unreachable-component.ts';

export const ConnectionStatus = createContext<Unreachable | null>(null);

/** Epoch ms of the last response to the poll of the frame; infinite outside the frame. */
export const LastResponse = createContext(Number.POSITIVE_INFINITY);

/** Epoch ms of the end of the last outage; requests that failed before are already sent again. */
export const RecoveredAt = createContext(0);

/** The component that does not respond, as the frame finds out; null: all respond. */
export const useUnreachable = (): Unreachable | null => useContext(ConnectionStatus);
