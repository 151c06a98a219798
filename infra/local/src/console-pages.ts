import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from './checkout.ts';

const room = join(checkout, 'apps', 'console');
const sources = join(room, 'web');
const pages = join(room, 'dist');
const note = '.sources';

/** Builds the console's pages unless those that lie there are of the same sources. True when it built. */
export async function buildConsolePages(): Promise<boolean> {
  const wanted = await digestOfSources();
  if ((await readFile(join(pages, note), 'utf8').catch(() => null)) === wanted) return false;
  // Into a place of its own: a console that runs, or another build, never meets half of it.
  const made = `${pages}-${process.pid}`;
  const vite = join(checkout, 'node_modules', 'vite', 'bin', 'vite.js');
  try {
    await promisify(execFile)(process.execPath, [vite, 'build', 'web', '--outDir', made, '--logLevel', 'warn'], {
      // The libraries' own checks stay out, whoever asks for the build.
      env: { ...process.env, NODE_ENV: 'production' },
      cwd: room,
    });
    await writeFile(join(made, note), wanted);
    await takePlace(made);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return true;
}

/** Two builds may end at once: they made the same, and the first to arrive stays. */
async function takePlace(made: string): Promise<void> {
  const before = `${made}-before`;
  await rename(pages, before).catch(except('ENOENT'));
  await rename(made, pages).catch(except('ENOTEMPTY', 'EEXIST'));
  await rm(before, { recursive: true, force: true });
}

const except = (...codes: readonly string[]) => {
  return (cause: NodeJS.ErrnoException) => {
    if (!codes.includes(cause.code ?? '')) throw cause;
  };
};

/** Of every file the pages are made of, and of the lock file: other libraries make other pages. */
async function digestOfSources(): Promise<string> {
  const names = await readdir(sources, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
  const digest = createHash('sha256');
  for (const file of [...files, join(checkout, 'package-lock.json')])
    digest
      .update(file.slice(checkout.length))
      .update('\0')
      .update(await readFile(file));
  return digest.digest('hex');
}
