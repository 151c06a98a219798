import { chmod, chown, lstat, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { User } from './unprivileged.ts';

// Every user can reach what lies here.
const everybodys = '/var/tmp';

/** Where a directory's data lie that the user cannot enter: named in it, so that a new checkout in an old place begins anew. */
export async function elsewhere(directory: string, user: User): Promise<string> {
  const note = join(directory, 'elsewhere');
  const noted = await readFile(note, 'utf8').catch(() => '');
  const place = noted.trim() || (await mkdtemp(join(everybodys, 'tenantscope-data-')));
  await ownedDirectory(place, user);
  await writeFile(note, `${place}\n`);
  console.error(`PostgreSQL runs as ${user.name}, who cannot enter ${directory}: its data lie in ${place}`);
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

/** Where this user's copy of the server's programs lies, for checkouts that the user cannot enter. */
export async function programsOf(user: User): Promise<string> {
  const place = join(everybodys, `tenantscope-programs-${user.name}`);
  await ownedDirectory(place, user);
  return place;
}
