import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { OpenLoopOrder, OpenLoopOutcome } from './open-loop.ts';

/** Clients in another process. */
export interface OpenLoopClients extends Disposable {
  /** Runs them until their time has passed; throws their error. */
  run(order: OpenLoopOrder): Promise<OpenLoopOutcome>;
}

/**
 * Starts a process for clients; resolves when it is ready, so that its start, 0.1 s of a processor, is not part of what is measured. In a session of its own: Linux shares the processors between
 * sessions, and the clients stand for machines that share none with the producers.
 */
export async function startOpenLoopClients(): Promise<OpenLoopClients> {
  const child = fork(fileURLToPath(new URL('./open-loop.ts', import.meta.url)), { detached: true });
  await once(child, 'message');
  return {
    async run(order) {
      const reported = once(child, 'message') as Promise<[{ outcome?: OpenLoopOutcome; error?: string }]>;
      child.send(order);
      const [{ outcome, error }] = await reported;
      if (!outcome) throw new Error(error);
      return outcome;
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}
