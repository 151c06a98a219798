import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from './checkout.ts';

// `npm run check`: every check that needs no service, in parallel.
const checks: Record<string, readonly string[]> = {
  'format and lint': ['biome', 'check', '.'],
  types: ['tsc', '-p', 'tsconfig.json', ...incremental('types')],
  'types of the pages': ['tsc', '-p', 'apps/console/web', ...incremental('page-types')],
  boundaries: ['turbo', 'boundaries'],
  'source rules': ['node', 'infra/check/src/main.ts'],
  'unit tests': ['vitest', 'run', '--project=unit', '--tags-filter=!exhaustive'],
};

const outcomes = await Promise.all(Object.entries(checks).map(([name, command]) => run(name, command)));
process.exit(outcomes.every(Boolean) ? 0 : 1);

/** Rechecks only what changed since the last run: half the CPU time. */
function incremental(name: string): string[] {
  return ['--incremental', '--tsBuildInfoFile', join(checkout, 'node_modules', '.cache', `${name}.tsbuildinfo`)];
}

async function run(name: string, [program = '', ...args]: readonly string[]): Promise<boolean> {
  const started = performance.now();
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
  try {
    await promisify(execFile)(join(checkout, 'node_modules', '.bin', program), args, {
      cwd: checkout,
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
