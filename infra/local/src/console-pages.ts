import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { provideBuild } from './build-directory.ts';
import { checkout } from './checkout.ts';
import { createSystemEnvironment } from './system-environment.ts';

const consoleDirectory = join(checkout, 'apps', 'console');
/** The pages and what they import: endpoints with their paths, feeds with their labels. */
const sources = [
  join(consoleDirectory, 'web'),
  join(consoleDirectory, 'api'),
  join(checkout, 'packages', 'contract', 'src'),
];

/** Builds the console's pages unless they are already built from the same sources. True when it built them. */
export async function buildConsolePages(): Promise<boolean> {
  const digest = await computeSourceDigest();
  return provideBuild(join(consoleDirectory, 'dist'), digest, async (output) => {
    const vite = join(checkout, 'node_modules', 'vite', 'bin', 'vite.js');
    await promisify(execFile)(process.execPath, [vite, 'build', 'web', '--outDir', output, '--logLevel', 'warn'], {
      // Production builds of the libraries, whatever NODE_ENV of the caller.
      env: { ...createSystemEnvironment(), NODE_ENV: 'production' },
      cwd: consoleDirectory,
    });
  });
}

/** The digest of every source file and of the lock file, since other versions of libraries give other pages. */
async function computeSourceDigest(): Promise<string> {
  const entries = await Promise.all(
    sources.map((directory) => readdir(directory, { recursive: true, withFileTypes: true })),
  );
  const files = entries
    .flat()
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
  const digest = createHash('sha256');
  for (const file of [...files, join(checkout, 'package-lock.json')])
    digest
      .update(file.slice(checkout.length))
      .update('\0')
      .update(await readFile(file));
  return digest.digest('hex').slice(0, 16);
}
