import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDirectoryInUse, readProcessIdentity } from './process-tree.ts';
import type { ServiceName } from './service.ts';
import { type LocalServices, type ServicesOptions, startServices } from './services.ts';

// Accessible to every user, so PostgreSQL can use it wherever the checkout is.
const parent = '/var/tmp';
const prefix = 'tenantscope-run-';

/** Starts services for one test run, on free ports and in a temporary directory. Removes the directories of runs that were killed. */
export async function startTemporaryServices<Name extends ServiceName = ServiceName>(
  options: Omit<ServicesOptions<Name>, 'directory' | 'ports'> = {},
): Promise<LocalServices<Name>> {
  await removeAbandonedDirectories();
  const directory = await mkdtemp(join(parent, `${prefix}${readProcessIdentity(process.pid)}-`));
  await chmod(directory, 0o711);
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    const services = await startServices<Name>({ durable: false, ...options, directory });
    const stop = services[Symbol.asyncDispose];
    return Object.assign(services, { [Symbol.asyncDispose]: () => stop().then(remove) });
  } catch (cause) {
    await remove();
    throw cause;
  }
}

async function removeAbandonedDirectories(): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const owner = name.slice(prefix.length, name.lastIndexOf('-'));
    const directory = join(parent, name);
    if (readProcessIdentity(Number.parseInt(owner, 10)) === owner || isDirectoryInUse(directory)) continue;
    await rm(directory, { recursive: true, force: true }).catch(() => undefined);
  }
}
