import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { identityOf } from './process-tree.ts';

/** Takes a directory for this process. Two runs on one would end each other's services, taking them for leftovers. */
export async function claim(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, 'owner');
  const owner = await readFile(file, 'utf8').catch(() => '');
  const pid = Number.parseInt(owner, 10);
  if (owner !== '' && pid !== process.pid && identityOf(pid) === owner) {
    throw new Error(`process ${pid} is already running services in ${directory}`);
  }
  await writeFile(file, identityOf(process.pid) ?? '');
}

export async function release(directory: string): Promise<void> {
  await writeFile(join(directory, 'owner'), '');
}
