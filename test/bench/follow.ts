import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FollowOrder, Seen } from './follower.ts';

/** Lets another process follow a tenant's log until `end`, which gives what it saw or throws with what stopped it. */
export function startFollowing(order: FollowOrder): { end(): Promise<Seen[]> } {
  const child = fork(fileURLToPath(new URL('./follower.ts', import.meta.url)));
  const answered = once(child, 'message') as Promise<[{ seen?: Seen[]; error?: string }]>;
  child.send(order);
  return {
    async end() {
      child.send('end');
      const [{ seen, error }] = await answered;
      child.kill();
      if (!seen) throw new Error(error);
      return seen;
    },
  };
}
