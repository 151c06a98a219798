import { chown, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CommandError } from '../../../command-error.ts';
import type { Files } from '../store-files.ts';

/** The directory of `tenantscope init`. Paths are relative to it. */
export interface InstallationDirectory {
  /** Throws CommandError, naming the file, where it is missing. */
  read(path: string): Promise<string>;
  /** Writes files whose content differs. */
  write(files: Files): Promise<void>;
  /** Writes all files, unless all of them exist. */
  writeMissing(files: Files): Promise<void>;
  createDirectory(path: string): Promise<void>;
  /** Gives what was written to the owner of .env, as whom the containers run. */
  giveToOwner(): Promise<void>;
}

export async function openInstallation(directory: string): Promise<InstallationDirectory> {
  const written = new Set<string>();
  const find = (path: string) => readFile(join(directory, path), 'utf8').catch(() => null);
  const createDirectory = async (path: string) => {
    const created = await mkdir(join(directory, path), { recursive: true, mode: 0o700 });
    if (created !== undefined) written.add(join(directory, path));
  };
  const write = async (files: Files) => {
    for (const [path, content] of Object.entries(files)) {
      const file = join(directory, path);
      for (const folder of [dirname(dirname(path)), dirname(path)]) await createDirectory(folder);
      const present = await find(path);
      if (present === content) continue;
      // A secret is a mount of its own: containers would not see a file that was renamed to it.
      if (present !== null && path.startsWith('secrets/')) {
        await writeFile(file, content);
        continue;
      }
      await writeFile(`${file}.new`, content, { mode: 0o600 });
      await rename(`${file}.new`, file);
      written.add(file);
    }
  };
  const read = async (path: string) => {
    const content = await find(path);
    if (content !== null) return content;
    throw new CommandError(`${directory} has no installation of "tenantscope init": it has no readable ${path}.`);
  };
  await read('.env');
  const { uid, gid } = await stat(join(directory, '.env'));
  return {
    read,
    write,
    createDirectory,
    async writeMissing(files) {
      const found = await Promise.all(Object.keys(files).map(find));
      if (found.includes(null)) await write(files);
    },
    async giveToOwner() {
      for (const file of written) await chown(file, uid, gid);
    },
  };
}
