import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@tenantscope/local';

/** The server to compare with, in its own process. */
export async function startStringify(url: string): Promise<{ port: number; pid: number } & AsyncDisposable> {
  const port = await findFreePort();
  const child = fork(fileURLToPath(new URL('./stringify-server.ts', import.meta.url)), [String(port), url]);
  await once(child, 'message');
  return {
    port,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
