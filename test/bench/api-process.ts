import { createInterface } from 'node:readline';
import { findFreePort } from '@tenantscope/local';
import { type ProductProcess, startProcess } from '../installation/processes.ts';

export interface ApiLog {
  /** The api's own time of each response, ms, by the id of the request; with the log level debug. */
  readonly serverMs: ReadonlyMap<string, number>;
  /** The lines of failed requests. */
  readonly failures: readonly string[];
}

/** Follows the log of an api process. */
export function followApiLog({ child }: ProductProcess): ApiLog {
  const serverMs = new Map<string, number>();
  const failures: string[] = [];
  if (!child.stdout) throw new Error('the output of the process is not read');
  createInterface(child.stdout).on('line', (line) => {
    if (line.includes('request failed')) failures.push(line);
    if (!line.includes('"request completed"')) return;
    const { requestId, seconds } = JSON.parse(line) as { requestId: string; seconds: number };
    serverMs.set(requestId, seconds * 1_000);
  });
  return { serverMs, failures };
}

/** An api process on its own port. */
export async function startApi(environment: Record<string, string>): Promise<ProductProcess & { port: number }> {
  const port = await findFreePort();
  const own = {
    TENANTSCOPE_PORT: String(port),
    TENANTSCOPE_PUBLIC_URL: `http://127.0.0.1:${port}/api/v1`,
    TENANTSCOPE_DRAIN_MS: '0',
  };
  return Object.assign(await startProcess('api', { ...environment, ...own }), { port });
}
