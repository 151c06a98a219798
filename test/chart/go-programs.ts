import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout, findProgram } from '@tenantscope/local';

const execute = promisify(execFile);

/** Programs that are built from a Go module which pins them and their dependencies. */
export interface GoPrograms {
  /** Of the cached directory, and in messages. */
  readonly name: string;
  /** The directory of go.mod and go.sum, below this one. */
  readonly pins: string;
  /** The package of each program. */
  readonly packages: Readonly<Record<string, string>>;
  /** Variables that the linker sets, from the text of go.mod. */
  readonly listLinkerValues: (module: string) => readonly string[];
  readonly buildTimeoutMs: number;
}

/** A run that may build programs, which takes minutes. Other runs use them only where they are cached. */
export const mayBuildPrograms = process.env.TENANTSCOPE_TORTURE === '1';

/** The directory of the programs, or the reason why there is none. They are built once and cached until their pins change. */
export async function provideGoPrograms(
  programs: GoPrograms,
  { build }: { build: boolean },
): Promise<{ directory: string } | { missing: string }> {
  const pins = join(import.meta.dirname, programs.pins);
  const module = await readFile(join(pins, 'go.mod'), 'utf8');
  const linkerFlags = ['-s -w', ...programs.listLinkerValues(module).map((value) => `-X ${value}`)].join(' ');
  const fingerprint = createHash('sha256')
    .update(module)
    .update(linkerFlags)
    .update(await readFile(join(pins, 'go.sum')))
    .update(await readFile(join(pins, 'main.go')).catch(() => ''))
    .digest('hex')
    .slice(0, 12);
  const directory = join(checkout, '.tenantscope', 'cache', `${programs.name}-${fingerprint}`);
  if (existsSync(directory)) return { directory };
  if (!build) return { missing: `${programs.name} is not built; npm run torture -- test/chart builds it` };
  const go = findProgram('go');
  if (go === null) return { missing: 'Go is not installed' };
  const needed = /^go (\S+)$/m.exec(module)?.[1] ?? '';
  const present = (await execute(go, ['env', 'GOVERSION'])).stdout.trim().replace(/^go/, '');
  if (isOlder(present, needed))
    return { missing: `Go ${present} is older than ${needed}, which ${programs.name} needs` };
  console.error(`building ${programs.name} …`);
  await buildPrograms(go, programs, linkerFlags, directory);
  return { directory };
}

async function buildPrograms(
  go: string,
  { packages, pins, buildTimeoutMs }: GoPrograms,
  linkerFlags: string,
  directory: string,
): Promise<void> {
  const unfinished = `${directory}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  const env = { ...process.env, GOFLAGS: '-mod=readonly -buildvcs=false', GOTOOLCHAIN: 'local', CGO_ENABLED: '0' };
  const options = { cwd: join(import.meta.dirname, pins), env, timeout: buildTimeoutMs, maxBuffer: 1 << 26 };
  try {
    for (const [program, path] of Object.entries(packages)) {
      const args = ['build', '-trimpath', '-ldflags', linkerFlags, '-o', join(unfinished, program), path];
      await execute('nice', ['-n', '10', go, ...args], options);
    }
    await rename(unfinished, directory).catch((cause) => {
      // Another process may have been faster; its programs are the same.
      if (!existsSync(directory)) throw cause;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Compares versions such as 1.26.8. */
function isOlder(version: string, than: string): boolean {
  const parts = (text: string) => text.split('.').map((part) => Number.parseInt(part, 10));
  const [own, other] = [parts(version), parts(than)];
  const differing = other.findIndex((part, index) => part !== (own[index] ?? 0));
  return differing !== -1 && (own[differing] ?? 0) < (other[differing] ?? 0);
}
