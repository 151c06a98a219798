import type { Socket } from 'node:net';
import { listOpenExchanges } from './open-exchanges.ts';

/**
 * Ends a connection on which nothing was received or sent for a time, if that is because the client does not read its response, which is in memory
 * until then, or sends no further request. A response that is not ready, such as an evidence pack, may take longer. Requires `trackExchange` for each request.
 */
export function endIdleConnection(socket: Socket): void {
  // A reset: the system would try for minutes to send the rest.
  if (socket.writableLength > 0) socket.resetAndDestroy();
  else if (listOpenExchanges(socket).length === 0) socket.destroy();
}
