import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FollowOrder, Seen } from './follower.ts';

/** Follows the log of a tenant in another process until `end`, which returns what it received or throws its error. */
export function startFollower(order: FollowOrder): { end(): Promise<Seen[]> } {
  const child = fork(fileURLToPath(new URL('./follower.ts', import.meta.url)));
  const reported = once(child, 'message') as Promise<[{ seen?: Seen[]; error?: string }]>;
  child.send(order);
  return {
    async end() {
      child.send('end');
      const [{ seen, error }] = await reported;
      child.kill();
      if (!seen) throw new Error(error);
      return seen;
    },
  };
}
