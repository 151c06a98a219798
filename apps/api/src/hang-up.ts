import type { ServerResponse } from 'node:http';
import { unavailable } from './failure.ts';

/** Aborts when the connection ends before its answer was written. */
export function hangUpOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const end = () => {
    // Nobody reads it; it is no failure of the service.
    if (!response.writableFinished) controller.abort(unavailable('The caller hung up.'));
  };
  if (response.destroyed) end();
  else response.once('close', end);
  return controller.signal;
}
