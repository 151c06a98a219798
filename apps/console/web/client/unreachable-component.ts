import { ApiError, NetworkError } from './api-client.ts';

/** The component that does not respond. */
export type Unreachable = 'console' | 'database';

/** Null: there was a response, even if it was an error. */
export function unreachableComponent(error: unknown): Unreachable | null {
  if (error instanceof NetworkError) return 'console';
  if (!(error instanceof ApiError)) return null;
  if (error.code === 'SERVICE_UNAVAILABLE') return 'database';
  // A proxy reports that it cannot reach the console.
  return [502, 503, 504].includes(error.status) ? 'console' : null;
}
