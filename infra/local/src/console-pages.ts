import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { provideBuild } from './build-directory.ts';
import { checkout } from './checkout.ts';
import { computeSourceDigest } from './source-digest.ts';
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
  const digest = await computeSourceDigest(sources);
  return provideBuild(join(consoleDirectory, 'dist'), digest, async (output) => {
    const vite = join(checkout, 'node_modules', 'vite', 'bin', 'vite.js');
    await promisify(execFile)(process.execPath, [vite, 'build', 'web', '--outDir', output, '--logLevel', 'warn'], {
      // Production builds of the libraries, whatever NODE_ENV of the caller.
      env: { ...createSystemEnvironment(), NODE_ENV: 'production' },
      cwd: consoleDirectory,
    });
  });
}
