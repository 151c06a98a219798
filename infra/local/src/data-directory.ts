import { chmod, chown, lstat, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findExternalService } from './external-service.ts';
import { canAccessDirectory, findUnprivilegedUser, type SystemUser } from './unprivileged-user.ts';

/** Accessible to every user. */
const publicParent = '/var/tmp';

/**
 * Returns the directory, or another one in its place if the user that PostgreSQL runs as cannot access it. The data of all services are in one
 * directory, so that no service has newer data than the others. The original directory names the other one, so that a new checkout at the same path
 * starts with new data.
 */
export async function resolveDataDirectory(directory: string): Promise<string> {
  const user = findUnprivilegedUser();
  await mkdir(directory, { recursive: true });
  if (user === null || canAccessDirectory(directory, user) || findExternalService('postgres') !== null)
    return directory;
  const pointer = join(directory, 'elsewhere');
  const recorded = await readFile(pointer, 'utf8').catch(() => '');
  const other = recorded.trim() || (await mkdtemp(join(publicParent, 'tenantscope-data-')));
  await mkdir(other, { recursive: true });
  await chmod(other, 0o711);
  if (recorded === '') {
    await writeFile(pointer, `${other}\n`);
    console.error(`PostgreSQL runs as ${user.name}, which cannot access ${directory}; storing data in ${other}`);
  }
  return other;
}

/** The directory of this user's copy of the server's programs, for checkouts that the user cannot access. */
export async function resolveProgramsDirectory(user: SystemUser): Promise<string> {
  const directory = join(publicParent, `tenantscope-programs-${user.name}`);
  await createOwnedDirectory(directory, user);
  return directory;
}

/** Creates a directory that only its user can access. Throws if it belongs to another user. */
export async function createOwnedDirectory(directory: string, user: SystemUser | null): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { uid } = await lstat(directory);
  if (![process.getuid?.(), user?.uid].includes(uid)) throw new Error(`${directory} belongs to another user`);
  if (user === null) return;
  await chown(directory, user.uid, user.gid);
  await chmod(directory, 0o700);
}
