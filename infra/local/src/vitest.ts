import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from './checkout.ts';
import { spawnGuarded } from './guarded-process.ts';
import { readOutcome, type TestOutcome } from './test-outcome.ts';

/** Runs vitest in the checkout with its output on the terminal. It ends with this process, however that ends. */
export async function runVitest(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<TestOutcome> {
  const directory = await mkdtemp(join(tmpdir(), 'tenantscope-report-'));
  const report = join(directory, 'report.json');
  const program = join(checkout, 'node_modules', 'vitest', 'vitest.mjs');
  const errorsFile = join(directory, 'errors');
  const errorsReporter = join(import.meta.dirname, 'unhandled-errors-reporter.ts');
  const reporters = ['default', 'json', errorsReporter].map((name) => `--reporter=${name}`);
  const child = spawnGuarded([process.execPath, program, 'run', ...reporters, `--outputFile.json=${report}`, ...args], {
    cwd: checkout,
    stdio: 'inherit',
    env: { ...process.env, ...environment, TENANTSCOPE_TEST_ERRORS_FILE: errorsFile },
    stopSignal: 'SIGTERM',
  });
  let isInterrupted = false;
  const forward = (signal: NodeJS.Signals) => {
    isInterrupted = true;
    child.kill(signal);
  };
  process.on('SIGINT', forward).on('SIGTERM', forward).on('SIGHUP', forward);
  process.on('disconnect', () => child.kill());
  const [code] = await once(child, 'exit');
  try {
    const errors = Number(await readFile(errorsFile, 'utf8').catch(() => '0'));
    return await readOutcome(report, code ?? 1, errors + (isInterrupted ? 1 : 0));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
