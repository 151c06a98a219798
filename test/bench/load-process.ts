import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadOrder, LoadOutcome } from './load-client.ts';

/** Sends requests from another process; throws on the first response that is not 200. */
export async function runLoad(order: LoadOrder): Promise<LoadOutcome> {
  const child = fork(fileURLToPath(new URL('./load-client.ts', import.meta.url)));
  const gone = once(child, 'exit');
  try {
    child.send(order);
    const [response] = (await Promise.race([once(child, 'message'), gone])) as [
      { outcome?: LoadOutcome; error?: string },
    ];
    if (!response?.outcome) throw new Error(`the load failed: ${response?.error ?? 'its process ended'}`);
    return response.outcome;
  } finally {
    child.kill();
    await gone;
  }
}
