import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from './checkout.ts';
import { spawnGuarded } from './guarded-process.ts';
import { readOutcome, type TestOutcome } from './test-outcome.ts';

/** Runs vitest in the checkout with its output on the terminal. Returns the counts. It ends with this process, however that ends. */
export async function runVitest(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<TestOutcome> {
  const directory = await mkdtemp(join(tmpdir(), 'tenantscope-report-'));
  const report = join(directory, 'report.json');
  const program = join(checkout, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const child = spawnGuarded([process.execPath, program, 'run', ...reporters, ...args], {
    cwd: checkout,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
    stopSignal: 'SIGTERM',
  });
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', forward).on('SIGTERM', forward).on('SIGHUP', forward);
  process.on('disconnect', () => child.kill());
  const [code] = await once(child, 'exit');
  try {
    return await readOutcome(report, code ?? 1);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
