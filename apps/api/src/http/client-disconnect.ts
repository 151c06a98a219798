import type { ServerResponse } from 'node:http';
import { serviceUnavailable } from './error-response.ts';

/** Returns a signal that aborts when the client disconnects before the response has ended, while work for it may still run. */
export function abortOnClientDisconnect(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const end = () => {
    // The client never sees this error; it only stops the work.
    if (!response.writableEnded) controller.abort(serviceUnavailable('The client disconnected.'));
  };
  if (response.destroyed) end();
  else response.once('close', end);
  return controller.signal;
}
