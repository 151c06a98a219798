import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from './checkout.ts';

const consoleDirectory = join(checkout, 'apps', 'console');
const sources = join(consoleDirectory, 'web');
const pages = join(consoleDirectory, 'dist');
const digestFile = '.sources';

/** Builds the console's pages unless the present ones are built from the same sources. True when it built them. */
export async function buildConsolePages(): Promise<boolean> {
  const digest = await computeSourceDigest();
  if ((await readFile(join(pages, digestFile), 'utf8').catch(() => null)) === digest) return false;
  // Built in a separate directory: a running console, or another build, never sees a partial result.
  const output = `${pages}-${process.pid}`;
  const vite = join(checkout, 'node_modules', 'vite', 'bin', 'vite.js');
  try {
    await promisify(execFile)(process.execPath, [vite, 'build', 'web', '--outDir', output, '--logLevel', 'warn'], {
      // Production builds of the libraries, whatever NODE_ENV of the caller.
      env: { ...process.env, NODE_ENV: 'production' },
      cwd: consoleDirectory,
    });
    await writeFile(join(output, digestFile), digest);
    await replacePages(output);
  } finally {
    await rm(output, { recursive: true, force: true });
  }
  return true;
}

/** Two builds may end at the same time: their results are equal, and the first one remains. */
async function replacePages(output: string): Promise<void> {
  const previous = `${output}-previous`;
  await rename(pages, previous).catch(ignoreErrors('ENOENT'));
  await rename(output, pages).catch(ignoreErrors('ENOTEMPTY', 'EEXIST'));
  await rm(previous, { recursive: true, force: true });
}

const ignoreErrors = (...codes: readonly string[]) => {
  return (cause: NodeJS.ErrnoException) => {
    if (!codes.includes(cause.code ?? '')) throw cause;
  };
};

/** The digest of every source file and of the lock file, since other versions of libraries give other pages. */
async function computeSourceDigest(): Promise<string> {
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
