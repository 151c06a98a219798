import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Where a program lies on the PATH, or null. */
export function findProgram(name: string): string | null {
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    const file = join(directory, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {}
  }
  return null;
}

export interface Need {
  /** What a person calls it. */
  what: string;
  /** Debian packages that hold it and start nothing by themselves. */
  packages: readonly string[];
  /** The variable that makes it unnecessary by pointing at a service of one's own. */
  instead: string;
}

let installing: Promise<unknown> = Promise.resolve();

/** Finds a program, installs it where that can be done (Debian, as root), else says in one line what to do. */
export async function need<T>(find: () => Promise<T | null> | T | null, { what, packages, instead }: Need): Promise<T> {
  const present = await find();
  if (present !== null) return present;
  const advice = `${what} is missing: install it (Debian: apt-get install ${packages.join(' ')}) or point ${instead} at a service of your own`;
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) throw new Error(advice);

  console.error(`installing ${packages.join(' ')} …`);
  installing = installing.then(() => install(packages));
  await installing.catch((cause) => {
    installing = Promise.resolve();
    throw new Error(advice, { cause });
  });
  const installed = await find();
  if (installed === null) throw new Error(advice);
  return installed;
}

async function install(packages: readonly string[]): Promise<void> {
  const apt = ['-q', '-y', '-o', 'DPkg::Lock::Timeout=300'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await execute('apt-get', [...apt, 'update'], { env });
  await execute('apt-get', [...apt, '--no-install-recommends', 'install', ...packages], { env, maxBuffer: 1 << 26 });
}
