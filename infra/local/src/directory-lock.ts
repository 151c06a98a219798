import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readProcessIdentity } from './process-tree.ts';

/** Locks a directory for this process. Two runs in one directory would kill each other's services as leftovers. */
export async function lockDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, 'owner');
  const owner = await readFile(file, 'utf8').catch(() => '');
  const pid = Number.parseInt(owner, 10);
  if (owner !== '' && pid !== process.pid && readProcessIdentity(pid) === owner) {
    throw new Error(`process ${pid} is already running services in ${directory}`);
  }
  await writeFile(file, readProcessIdentity(process.pid) ?? '');
}

export async function unlockDirectory(directory: string): Promise<void> {
  await writeFile(join(directory, 'owner'), '');
}
