import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from './checkout.ts';

// `npm run check`: all that can be said without a service, side by side, in seconds.
const checks: Record<string, readonly string[]> = {
  'format and lint': ['biome', 'check', '.'],
  types: ['tsc', '-p', 'tsconfig.json'],
  'types of the pages': ['tsc', '-p', 'apps/console/web'],
  boundaries: ['turbo', 'boundaries'],
  'unit tests': ['vitest', 'run', '--project=unit'],
};

const outcomes = await Promise.all(Object.entries(checks).map(([name, command]) => run(name, command)));
process.exit(outcomes.every(Boolean) ? 0 : 1);

async function run(name: string, [program = '', ...words]: readonly string[]): Promise<boolean> {
  const started = performance.now();
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
  try {
    await promisify(execFile)(join(checkout, 'node_modules', '.bin', program), words, {
      cwd: checkout,
      maxBuffer: 1 << 26,
    });
    console.log(`${name}: good (${seconds()})`);
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
