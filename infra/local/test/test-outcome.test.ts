import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkout } from '../src/checkout.ts';
import { formatOutcome, formatSkippedGroups, formatSlowestFiles, readOutcome } from '../src/test-outcome.ts';

const directory = await mkdtemp(join(tmpdir(), 'tenantscope-outcome-'));
afterAll(() => rm(directory, { recursive: true }));

async function formatReport(report: object, exitCode: number): Promise<string> {
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
  return formatOutcome(await readOutcome(file, exitCode));
}

test('the outcome line counts passed, failed and skipped tests', async () => {
  expect(await formatReport({ numPassedTests: 7 }, 0)).toBe('7 passed, 0 failed');
  const mixed = { success: false, numPassedTests: 7, numFailedTests: 2, numPendingTests: 1, numTodoTests: 2 };
  expect(await formatReport(mixed, 1)).toBe('7 passed, 2 failed, 3 skipped');
});

test('a file that cannot be loaded counts as one failure more', async () => {
  const testResults = [
    { name: join(checkout, 'test/a.test.ts'), status: 'failed', assertionResults: [] },
    { name: join(checkout, 'test/b.test.ts'), status: 'failed', assertionResults: [{ status: 'failed' }] },
  ];
  expect(await formatReport({ success: false, numPassedTests: 3, numFailedTests: 1, testResults }, 1)).toBe(
    '3 passed, 2 failed',
  );
});

test('a failed run without a failed test counts as a failure, as does a missing report', async () => {
  expect(await formatReport({ success: true, numPassedTests: 3 }, 1)).toBe('3 passed, 1 failed');
  expect(formatOutcome(await readOutcome(join(directory, 'missing.json'), 0))).toBe('0 passed, 1 failed');
});

test('skipped tests are named by what they need, otherwise by their file', async () => {
  const skipped = (tags: string[] = []) => ({ status: 'skipped', tags });
  const testResults = [
    {
      name: join(checkout, 'test/console/e2e/keys.test.ts'),
      status: 'passed',
      assertionResults: [skipped(['browser']), skipped(['exhaustive', 'browser']), { status: 'passed', tags: [] }],
    },
    { name: join(checkout, 'test/mcp/python-clients.test.ts'), status: 'passed', assertionResults: [skipped()] },
  ];
  const file = join(directory, 'skipped.json');
  await writeFile(
    file,
    JSON.stringify({
      success: true,
      numPassedTests: 1,
      numFailedTests: 0,
      numPendingTests: 3,
      numTodoTests: 0,
      testResults,
    }),
  );
  const outcome = await readOutcome(file, 0);
  expect(formatSkippedGroups(outcome)).toEqual([
    'skipped: 2 tests in a browser (Chromium is not installed)',
    'skipped: 1 tests of test/mcp/python-clients.test.ts',
  ]);
  expect(formatOutcome(outcome)).toBe('1 passed, 0 failed, 3 skipped');
});

test('the slowest files are listed with their seconds and their share of the time of all files', async () => {
  const ran = (path: string, seconds: number) => ({
    name: join(checkout, path),
    status: 'passed',
    startTime: 1_000,
    endTime: 1_000 + seconds * 1_000,
    assertionResults: [],
  });
  const file = join(directory, 'slowest.json');
  const testResults = [ran('test/a.test.ts', 10), ran('test/b.test.ts', 120), ran('test/c.test.ts', 70)];
  await writeFile(file, JSON.stringify({ success: true, numPassedTests: 3, numFailedTests: 0, testResults }));
  expect(formatSlowestFiles(await readOutcome(file, 0), 2)).toEqual([
    'slowest: 2 of 3 files, 95 % of the time of all',
    '   120 s  test/b.test.ts',
    '    70 s  test/c.test.ts',
  ]);
});

test('a run without a report lists no slowest files', async () => {
  expect(formatSlowestFiles(await readOutcome(join(directory, 'missing.json'), 0), 10)).toEqual([
    'slowest: 0 of 0 files, 0 % of the time of all',
  ]);
});
