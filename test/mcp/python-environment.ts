import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkout, findProgram, requireProgram } from '@tenantscope/local';

const execute = promisify(execFile);

/** The oldest Python that the pinned packages support. */
const oldest = [3, 11] as const;

/** A Python with the packages that `clients/<name>.txt` pins, or the reason why there is no such Python. It is created once and cached until they change. */
export async function preparePython(name: string): Promise<{ readonly python: string } | { readonly missing: string }> {
  const pins = fileURLToPath(new URL(`clients/${name}.txt`, import.meta.url));
  const base = await basePython().catch((cause: Error) => ({ missing: cause.message }));
  if ('missing' in base) return base;
  const fingerprint = createHash('sha256')
    .update(await readFile(pins))
    .update(base.version)
    .digest('hex')
    .slice(0, 12);
  const cached = join(checkout, '.tenantscope', 'cache', `python-${name}-${fingerprint}`);
  const python = join(cached, 'bin', 'python');
  if (existsSync(python)) return { python };

  const unfinished = `${cached}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  console.error(`fetching the packages of ${name} for Python …`);
  try {
    await execute(base.program, ['-m', 'venv', unfinished]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input', '--requirement', pins];
    await execute(join(unfinished, 'bin', 'python'), pip, { maxBuffer: 1 << 26 });
    await rename(unfinished, cached);
  } catch (cause) {
    await rm(unfinished, { recursive: true, force: true });
    // Another run may have been faster; its packages are the same.
    if (existsSync(python)) return { python };
    const output = String(cause instanceof Error && 'stderr' in cause ? cause.stderr : cause);
    if (unreachable.test(output)) return { missing: 'no Python package index is reachable' };
    throw new Error(`pip could not install ${name}: ${output.trim().split('\n').at(-1)}`, { cause });
  }
  return { python };
}

const unreachable =
  /connection (error|refused|broken)|Max retries|proxy|name resolution|timed out|from versions: none/i;

async function basePython(): Promise<{ readonly program: string; readonly version: string }> {
  const found = async () => {
    const program = findProgram('python3');
    if (program === null) return null;
    const script = 'import sys, venv, ensurepip; print(*sys.version_info[:2])';
    const result = await execute(program, ['-c', script]).catch(() => null);
    return result === null ? null : { program, version: result.stdout.trim() };
  };
  const base = await requireProgram(found, {
    what: 'Python with venv',
    packages: ['python3', 'python3-venv'],
    instead: 'PATH',
  });
  const [major = 0, minor = 0] = base.version.split(' ').map(Number);
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1]))
    throw new Error(`Python ${base.version.replace(' ', '.')} is older than ${oldest.join('.')}`);
  return base;
}
