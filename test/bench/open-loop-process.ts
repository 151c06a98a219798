import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { OpenLoopOrder, OpenLoopResponse } from './open-loop.ts';

/** Runs clients in another process until their time has passed; throws its error. */
export async function runOpenLoop(order: OpenLoopOrder): Promise<readonly OpenLoopResponse[]> {
  const child = fork(fileURLToPath(new URL('./open-loop.ts', import.meta.url)));
  try {
    const reported = once(child, 'message') as Promise<[{ responses?: OpenLoopResponse[]; error?: string }]>;
    child.send(order);
    const [{ responses, error }] = await reported;
    if (!responses) throw new Error(error);
    return responses;
  } finally {
    child.kill();
  }
}
