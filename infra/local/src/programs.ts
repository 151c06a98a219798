import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** The path of a program on the PATH, or null. */
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

export interface ProgramRequirement {
  /** Its name in messages. */
  what: string;
  /** Debian packages that contain it and start no service. */
  packages: readonly string[];
  /** The variable that names an external service to use instead. */
  instead: string;
}

let installing: Promise<unknown> = Promise.resolve();

/** Finds a program or installs it (on Debian, as root). Throws an error that explains how to install it. */
export async function requireProgram<T>(
  find: () => Promise<T | null> | T | null,
  { what, packages, instead }: ProgramRequirement,
): Promise<T> {
  const present = await find();
  if (present !== null) return present;
  const advice = `${what} not found. Install it (Debian: apt-get install ${packages.join(' ')}) or set ${instead} to an external service.`;
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
  await runApt('update');
  await runApt('--no-install-recommends', 'install', ...packages);
}

const aptAttempts = 60;

/** Downloads the newest versions of Debian packages into a directory without installing them. */
export async function downloadPackages(names: readonly string[], directory: string): Promise<void> {
  await runApt('update');
  await execute('apt-get', ['-q', 'download', ...names], { cwd: directory });
}

/**
 * Waits while another process of a test run installs: DPkg::Lock::Timeout does not apply to the lock of the package lists. Packages that an interrupted run left half installed
 * are configured first, without which apt-get installs nothing.
 */
async function runApt(...args: readonly string[]): Promise<void> {
  const options = ['-q', '-y', '-o', 'DPkg::Lock::Timeout=300'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (let attempt = 1; ; attempt += 1) {
    try {
      await execute('apt-get', [...options, ...args], { env, maxBuffer: 1 << 26 });
      return;
    } catch (error) {
      const text = String((error as { stderr?: string }).stderr);
      if (attempt === aptAttempts) throw error;
      if (/dpkg was interrupted/i.test(text)) await execute('dpkg', ['--configure', '-a'], { env });
      else if (/could not get lock/i.test(text)) await sleep(5_000);
      else throw error;
    }
  }
}
