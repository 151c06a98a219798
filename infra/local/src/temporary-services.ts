import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { identityOf, isInhabited } from './process-tree.ts';
import type { ServiceName } from './service.ts';
import { type LocalServices, type ServicesOptions, startServices } from './services.ts';

// Every user can reach what lies here, so PostgreSQL can wherever the checkout stands.
const parent = '/var/tmp';
const prefix = 'tenantscope-run-';

/** Services for one test run, on free ports and in a directory that goes with them; directories of runs that were killed go too. */
export async function temporaryServices<Name extends ServiceName = ServiceName>(
  options: Omit<ServicesOptions<Name>, 'directory' | 'ports'> = {},
): Promise<LocalServices<Name>> {
  await sweep();
  const directory = await mkdtemp(join(parent, `${prefix}${identityOf(process.pid)}-`));
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

async function sweep(): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const owner = name.slice(prefix.length, name.lastIndexOf('-'));
    const directory = join(parent, name);
    if (identityOf(Number.parseInt(owner, 10)) === owner || isInhabited(directory)) continue;
    await rm(directory, { recursive: true, force: true }).catch(() => undefined);
  }
}
