import { execFile } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram, requireProgram } from '@tenantscope/local';

const execute = promisify(execFile);

/** The release whose libraries the image contains: Node.js is linked with older versions and runs with newer ones. */
const release = 'bookworm';
const packages = ['libc6', 'libstdc++6', 'libgcc-s1', 'ca-certificates'];

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
}

/** Unpacks Debian packages into a directory, without executing anything of them. Resolves with their versions. */
export async function unpackDebianSystem(directory: string): Promise<readonly DebianPackage[]> {
  const program = await requireProgram(() => findProgram('mmdebstrap'), {
    what: 'mmdebstrap',
    packages: ['mmdebstrap'],
    instead: 'PATH so that it contains mmdebstrap, or use infra/image/Dockerfile.registry where there is a registry',
  });
  const options = ['--quiet', '--variant=extract', '--skip=cleanup/apt', `--include=${packages.join(',')}`];
  await execute(program, [...options, release, directory], { maxBuffer: 1 << 26 });
  const archives = join(directory, 'var', 'cache', 'apt', 'archives');
  const files = (await readdir(archives)).filter((name) => name.endsWith('.deb'));
  await rm(archives, { recursive: true });
  return files
    .map((file) => file.split('_') as [string, string])
    .map(([name, version]) => ({ name, version: decodeURIComponent(version) }))
    .filter(({ name }) => packages.includes(name));
}

/** The versions of these packages on the system that this process runs on. */
export async function listInstalledPackages(): Promise<readonly DebianPackage[]> {
  // Lines such as "libc6:amd64\t2.36-9".
  const { stdout } = await execute('dpkg-query', ['--show', ...packages]);
  return [...stdout.matchAll(/^([^:\t]+)\S*\t(.+)$/gm)].map(([, name = '', version = '']) => ({ name, version }));
}
