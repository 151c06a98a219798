import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from './checkout.ts';
import { type Outcome, readOutcome } from './outcome.ts';

/** Runs vitest in the checkout, its report on the screen, and counts. */
export async function runVitest(words: readonly string[], environment: Record<string, string> = {}): Promise<Outcome> {
  const directory = await mkdtemp(join(tmpdir(), 'tenantscope-report-'));
  const report = join(directory, 'report.json');
  const program = join(checkout, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const child = spawn(process.execPath, [program, 'run', ...reporters, ...words], {
    cwd: checkout,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', forward).on('SIGTERM', forward);
  process.on('disconnect', () => child.kill());
  const [code] = await once(child, 'exit');
  try {
    return await readOutcome(report, code ?? 1);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
