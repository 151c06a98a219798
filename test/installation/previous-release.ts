import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory, checkout, type ProcessName } from '@tenantscope/local';
import { productBundle } from './processes.ts';

const execute = promisify(execFile);

/** A release whose processes run next to those of this version. */
export interface Release {
  /** Its tag; null where no release is tagged: then it is this version itself. */
  readonly tag: string | null;
  program(name: ProcessName): string;
  /** Runs a command of its command line and returns the document. */
  cli<Document = Record<string, unknown>>(environment: Record<string, string>, ...args: string[]): Promise<Document>;
}

/** The newest release that is tagged in the history of this version, from its sources. */
export async function openPreviousRelease(): Promise<Release> {
  const tag = await findNewestTag();
  const directory = tag === null ? null : await unpack(tag);
  const bundle = await productBundle();
  const program = (name: ProcessName) => (directory === null ? bundle.program(name) : sourceOf(directory, name));
  return {
    tag,
    program,
    async cli<Document>(environment: Record<string, string>, ...args: string[]) {
      const { stdout } = await execute(process.execPath, [program('cli'), ...args, '--json'], {
        env: { PATH: process.env.PATH, ...environment },
        cwd: directory ?? checkout,
      });
      return JSON.parse(stdout) as Document;
    },
  };
}

async function findNewestTag(): Promise<string | null> {
  const list = ['tag', '--list', 'v[0-9]*', '--merged', 'HEAD', '--sort=-version:refname'];
  // A source archive has no history.
  const { stdout } = await execute('git', list, { cwd: checkout }).catch(() => ({ stdout: '' }));
  return stdout.split('\n').find((tag) => /^v\d+\.\d+\.\d+$/.test(tag)) ?? null;
}

const sourceOf = (directory: string, name: ProcessName): string =>
  name === 'cli'
    ? join(directory, 'apps', 'cli', 'bin', 'tenantscope.mjs')
    : join(directory, 'apps', name, 'src', 'main.ts');

/**
 * Unpacks a tag inside this checkout, so that its sources find the installed libraries, and only the product's packages are its own.
 * @NOTE A release with another version of a library is run with that of this checkout.
 */
async function unpack(tag: string): Promise<string> {
  const { stdout } = await execute('git', ['rev-parse', `${tag}^{commit}`], { cwd: checkout });
  const directory = join(cacheDirectory, `release-${stdout.trim()}`);
  if (existsSync(directory)) return directory;
  await mkdir(dirname(directory), { recursive: true });
  const unpacked = await mkdtemp(`${directory}-`);
  const archive = join(unpacked, 'archive.tar');
  await execute('git', ['archive', '--output', archive, stdout.trim()], { cwd: checkout });
  await execute('tar', ['--extract', '--file', archive, '--directory', unpacked]);
  const packages = join(unpacked, 'node_modules', '@tenantscope');
  await mkdir(packages, { recursive: true });
  for (const area of ['apps', 'packages', 'infra'])
    for (const name of await readdir(join(unpacked, area)))
      if (existsSync(join(unpacked, area, name, 'package.json'))) {
        await symlink(join('..', '..', area, name), join(packages, name));
        const own = join(checkout, area, name, 'node_modules');
        if (existsSync(own)) await symlink(own, join(unpacked, area, name, 'node_modules'));
      }
  await rename(unpacked, directory);
  return directory;
}
