import { chmod, chown, lstat, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownService } from './own-service.ts';
import { canEnter, type User, unprivilegedUser } from './unprivileged.ts';

// Every user can reach what lies here.
const everybodys = '/var/tmp';

/**
 * A directory, or where its contents lie instead because the user that PostgreSQL runs as cannot enter it. All services' data lie in one
 * place, so that none is ever newer than the others; the directory names it, so that a new checkout in an old one's place begins anew.
 */
export async function reachablePlace(directory: string): Promise<string> {
  const user = unprivilegedUser();
  await mkdir(directory, { recursive: true });
  if (user === null || canEnter(directory, user) || ownService('postgres') !== null) return directory;
  const note = join(directory, 'elsewhere');
  const noted = await readFile(note, 'utf8').catch(() => '');
  const place = noted.trim() || (await mkdtemp(join(everybodys, 'tenantscope-data-')));
  await mkdir(place, { recursive: true });
  await chmod(place, 0o711);
  if (noted === '') {
    await writeFile(note, `${place}\n`);
    console.error(
      `PostgreSQL runs as ${user.name}, who cannot enter ${directory}: what services keep lies in ${place}`,
    );
  }
  return place;
}

/** Where this user's copy of the server's programs lies, for checkouts that the user cannot enter. */
export async function programsOf(user: User): Promise<string> {
  const place = join(everybodys, `tenantscope-programs-${user.name}`);
  await ownedDirectory(place, user);
  return place;
}

/** Makes a directory the user's own, closed to everybody else. Throws where it is somebody else's. */
export async function ownedDirectory(directory: string, user: User | null): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { uid } = await lstat(directory);
  if (![process.getuid?.(), user?.uid].includes(uid)) throw new Error(`${directory} belongs to somebody else`);
  if (user === null) return;
  await chown(directory, user.uid, user.gid);
  await chmod(directory, 0o700);
}
