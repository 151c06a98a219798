import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory } from './checkout.ts';
import { extractPackages } from './extracted-packages.ts';

const execute = promisify(execFile);

/**
 * Debian 12 has Patroni 3.0.2, in which a primary that was suspended for longer than its lock lasts takes the lock back from the server that was promoted:
 * patroni/patroni#2689. Its libraries are those of Debian.
 */
const version = '4.1.5';

/** What Patroni needs besides Python, etcd, HAProxy, and a library that lets the clock of a process be behind. */
const packages = [
  'python3-psycopg2',
  'python3-urllib3',
  'python3-yaml',
  'python3-six',
  'python3-dateutil',
  'python3-click',
  'python3-prettytable',
  'python3-wcwidth',
  'python3-psutil',
  'python3-etcd',
  'python3-dnspython',
  'libpq5',
  'etcd-server',
  'haproxy',
  'liblua5.3-0',
  'libopentracing-c-wrapper0',
  'libopentracing1',
  'libfaketime',
];

export interface PatroniPrograms {
  /** Files of Debian packages: usr/bin/etcd, usr/sbin/haproxy, and libraries. */
  readonly files: string;
  /** A directory with the Python module `patroni`. */
  readonly patroni: string;
}

/** Extracts Debian's packages, since their installation would start services, and fetches Patroni. Throws an error with the advice where that is not possible. */
export async function requirePatroni(): Promise<PatroniPrograms> {
  const advice = `Patroni not found. On Debian 12 with pip, Patroni ${version} and the packages etcd-server and haproxy are fetched.`;
  const files = await extractPackages('patroni-programs', packages, advice);
  const patroni = join(cacheDirectory, `patroni-${version}`);
  if (existsSync(patroni)) return { files, patroni };
  const work = await mkdtemp(join(cacheDirectory, 'patroni-'));
  try {
    const pip = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', `patroni==${version}`];
    await execute('python3', [...pip, '--dest', work]);
    const [wheel = ''] = await readdir(work);
    await execute('python3', ['-m', 'zipfile', '--extract', join(work, wheel), join(work, 'module')]);
    // Another process of the run may have been faster.
    await rename(join(work, 'module'), patroni).catch(() => undefined);
  } catch (cause) {
    throw new Error(advice, { cause });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return { files, patroni };
}
