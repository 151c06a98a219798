import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from './checkout.ts';
import { readScriptArguments } from './script-arguments.ts';

const caches = join(checkout, 'node_modules', '.cache');

// `npm run check`: every check that needs no service.
readScriptArguments('npm run check', {});

// Longest first, and no more at once than there are cores.
const checks: (readonly [name: string, command: readonly string[]])[] = [
  // Two workers, because some tests wait: 15 s for all checks on two cores, 20 s with one worker.
  ['unit tests', ['vitest', 'run', '--project=unit', '--tags-filter=!exhaustive', '--maxWorkers=2', ...excludeFiles()]],
  ['types', ['tsc', '-p', 'tsconfig.json', ...typeCheckOptions('types')]],
  ['types of the pages', ['tsc', '-p', 'apps/console/web', ...typeCheckOptions('page-types')]],
  ['format and lint', ['biome', 'check', '.']],
  ['source rules', ['node', 'infra/check/src/main.ts']],
  ['boundaries', ['turbo', 'boundaries']],
];

let passed = true;
await Promise.all(Array.from({ length: availableParallelism() }, runRemaining));
process.exit(passed ? 0 : 1);

async function runRemaining(): Promise<void> {
  for (let next = checks.shift(); next !== undefined; next = checks.shift()) {
    if (!(await run(...next))) passed = false;
  }
}

/** The files that have the tag as a whole: they are not imported. */
function excludeFiles(): string[] {
  return globSync('{packages,apps,infra}/*/test/**/*.test.ts', { cwd: checkout })
    .filter((file) => readFileSync(join(checkout, file), 'utf8').startsWith('// @module-tag exhaustive\n'))
    .map((file) => `--exclude=${file}`);
}

/** Rechecks only what changed since the last run. One checker: four infer the same types four times, 22 s of CPU time instead of 6. */
function typeCheckOptions(name: string): string[] {
  return ['--checkers', '1', '--incremental', '--tsBuildInfoFile', join(caches, `${name}.tsbuildinfo`)];
}

async function run(name: string, [program = '', ...args]: readonly string[]): Promise<boolean> {
  const started = performance.now();
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
  try {
    await promisify(execFile)(join(checkout, 'node_modules', '.bin', program), args, {
      cwd: checkout,
      env: { ...process.env, NODE_COMPILE_CACHE: join(caches, 'compiled') },
      maxBuffer: 1 << 26,
    });
    console.log(`${name}: passed (${seconds()})`);
    return true;
  } catch (cause) {
    const output =
      cause instanceof Error && 'stdout' in cause && 'stderr' in cause
        ? `${cause.stdout}${cause.stderr}`
        : String(cause);
    console.log(`${output.trimEnd()}\n${name}: failed (${seconds()})`);
    return false;
  }
}
