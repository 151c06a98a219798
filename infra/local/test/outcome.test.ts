import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { lineOf, readOutcome } from '../src/outcome.ts';

const directory = await mkdtemp(join(tmpdir(), 'tenantscope-outcome-'));
afterAll(() => rm(directory, { recursive: true }));

async function reported(report: object, exitCode: number): Promise<string> {
  const file = join(directory, 'report.json');
  const empty = {
    success: true,
    numPassedTests: 0,
    numFailedTests: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [],
  };
  await writeFile(file, JSON.stringify({ ...empty, ...report }));
  return lineOf(await readOutcome(file, exitCode));
}

test('the line counts what passed, failed and was skipped', async () => {
  expect(await reported({ numPassedTests: 7 }, 0)).toBe('7 passed, 0 failed');
  const mixed = { success: false, numPassedTests: 7, numFailedTests: 2, numPendingTests: 1, numTodoTests: 2 };
  expect(await reported(mixed, 1)).toBe('7 passed, 2 failed, 3 skipped');
});

test('a file that could not be loaded is a failure beside those of its neighbours', async () => {
  const testResults = [
    { status: 'failed', assertionResults: [] },
    { status: 'failed', assertionResults: [{ status: 'failed' }] },
  ];
  expect(await reported({ success: false, numPassedTests: 3, numFailedTests: 1, testResults }, 1)).toBe(
    '3 passed, 2 failed',
  );
});

test('a run that ended badly without saying why has failed, and one without a report too', async () => {
  expect(await reported({ success: true, numPassedTests: 3 }, 1)).toBe('3 passed, 1 failed');
  expect(lineOf(await readOutcome(join(directory, 'missing.json'), 0))).toBe('0 passed, 1 failed');
});
