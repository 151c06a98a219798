import { setTimeout as sleep } from 'node:timers/promises';
import { readAdminUrls } from '@tenantscope/cli/config';
import { connectAdmin } from '@tenantscope/store/admin';
import type { EnvironmentVariables } from './application.ts';
import { writeLine } from './terminal.ts';

/** One query of a table that is empty for most developers. */
const pollMs = 10_000;

/**
 * Starts the collecting process when the first collector exists, and ends. Without collectors no such process runs. Disposing ends the wait.
 */
export async function startCollectingOnDemand(
  environment: EnvironmentVariables,
  start: () => Promise<void>,
): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const admin = stack.use(await connectAdmin(readAdminUrls(environment), 'cli:start'));
  const hasCollectors = async (): Promise<boolean> => (await admin.collectors.list(null)).length > 0;
  const stop = new AbortController();
  if (await hasCollectors()) {
    await start();
    return { [Symbol.asyncDispose]: async () => {} };
  }
  const owned = stack.move();
  const waiting = (async () => {
    for (;;) {
      await sleep(pollMs, undefined, { signal: stop.signal });
      if (!(await hasCollectors().catch(() => false))) continue;
      await start();
      return;
    }
  })()
    .catch((cause: Error) => {
      if (!stop.signal.aborted) writeLine('collect', cause.message);
    })
    .finally(() => owned.disposeAsync());
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await waiting;
    },
  };
}
