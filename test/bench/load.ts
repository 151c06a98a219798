import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadOrder, LoadOutcome } from './load-client.ts';

/** Lets another process make requests; throws with the first answer that was not 200. */
export async function putLoad(order: LoadOrder): Promise<LoadOutcome> {
  const child = fork(fileURLToPath(new URL('./load-client.ts', import.meta.url)));
  const gone = once(child, 'exit');
  try {
    child.send(order);
    const [answer] = (await Promise.race([once(child, 'message'), gone])) as [
      { outcome?: LoadOutcome; error?: string },
    ];
    if (!answer?.outcome) throw new Error(`the load failed: ${answer?.error ?? 'its process ended'}`);
    return answer.outcome;
  } finally {
    child.kill();
    await gone;
  }
}
