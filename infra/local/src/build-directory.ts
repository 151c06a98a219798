import { access, mkdir, mkdtemp, readdir, readlink, rename, rm, stat, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** A build that nothing has requested for a week is deleted. */
const retentionMs = 7 * 86_400_000;

/**
 * Makes the link `current` in a directory refer to the build of this name, and builds it if it is missing. True if it was built.
 *
 * A build is written to a temporary directory and renamed when it is complete; it never changes afterwards. The link is replaced by a rename as well.
 * A reader of `current`, and other processes that build in the same directory, therefore see complete builds only.
 */
export async function provideBuild(
  directory: string,
  name: string,
  build: (output: string) => Promise<void>,
): Promise<boolean> {
  await mkdir(directory, { recursive: true });
  const target = join(directory, name);
  const isMissing = await access(target).then(() => false, whereMissing(true));
  if (isMissing) await writeBuild(directory, target, build);
  const now = new Date();
  await utimes(target, now, now);
  const link = join(directory, 'current');
  if ((await readlink(link).catch(whereMissing(null))) !== name) {
    await replaceLink(directory, link, name);
    await deleteUnusedBuilds(directory, name);
  }
  return isMissing;
}

async function writeBuild(directory: string, target: string, build: (output: string) => Promise<void>): Promise<void> {
  const output = await mkdtemp(join(directory, 'incomplete-'));
  try {
    await build(output);
    // Another process may have completed the same build: the results are equal, and the first one remains.
    await rename(output, target).catch(ignoreErrors('ENOTEMPTY', 'EEXIST'));
  } finally {
    await rm(output, { recursive: true, force: true });
  }
}

async function replaceLink(directory: string, link: string, name: string): Promise<void> {
  const temporary = await mkdtemp(join(directory, 'incomplete-'));
  try {
    await symlink(name, join(temporary, 'link'));
    await rename(join(temporary, 'link'), link);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function deleteUnusedBuilds(directory: string, name: string): Promise<void> {
  for (const other of await readdir(directory)) {
    if (other === name || other === 'current') continue;
    const path = join(directory, other);
    const { mtimeMs } = await stat(path).catch(whereMissing({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > retentionMs) await rm(path, { recursive: true, force: true });
  }
}

/** The value to use where a file does not exist; other errors are thrown. */
function whereMissing<T>(value: T): (cause: NodeJS.ErrnoException) => T {
  return (cause) => {
    if (cause.code !== 'ENOENT') throw cause;
    return value;
  };
}

function ignoreErrors(...codes: readonly string[]): (cause: NodeJS.ErrnoException) => void {
  return (cause) => {
    if (!codes.includes(cause.code ?? '')) throw cause;
  };
}
