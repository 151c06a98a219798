import { findFreePort } from '@tenantscope/local';
import { type ProductProcess, startProcess } from '../installation/processes.ts';

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
