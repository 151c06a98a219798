import { findFreePort } from '@tenantscope/local';
import { type ProductProcess, startProcess } from '../installation/processes.ts';

/** A console of the installation with this environment, and its URL. */
export async function startConsoleProcess(
  environment: Readonly<Record<string, string>>,
): Promise<ProductProcess & { url: string }> {
  const port = await findFreePort();
  const process = await startProcess('console', {
    ...environment,
    TENANTSCOPE_PUBLIC_URL: 'http://127.0.0.1:1/api/v1',
    TENANTSCOPE_CONSOLE_PORT: String(port),
    TENANTSCOPE_CONSOLE_URL: `http://localhost:${port}`,
    TENANTSCOPE_CONSOLE_SECRET: 'a secret of more than thirty-two characters',
  });
  return Object.assign(process, { url: `http://localhost:${port}` });
}
