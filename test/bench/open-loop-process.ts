import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { OpenLoopOrder, OpenLoopOutcome } from './open-loop.ts';

/**
 * Runs clients in another process until their time has passed; throws its error. In a session of its own: Linux shares the processors between
 * sessions, and the clients stand for machines that share none with the producers.
 */
export async function runOpenLoop(order: OpenLoopOrder): Promise<OpenLoopOutcome> {
  const child = fork(fileURLToPath(new URL('./open-loop.ts', import.meta.url)), { detached: true });
  try {
    const reported = once(child, 'message') as Promise<[{ outcome?: OpenLoopOutcome; error?: string }]>;
    child.send(order);
    const [{ outcome, error }] = await reported;
    if (!outcome) throw new Error(error);
    return outcome;
  } finally {
    child.kill();
  }
}
