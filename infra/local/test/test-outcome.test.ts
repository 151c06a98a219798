import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkout } from '../src/checkout.ts';
import {
  formatFailures,
  formatOutcome,
  formatSkippedGroups,
  formatSlowestFiles,
  listFailedFiles,
  readOutcome,
  replaceFiles,
  type TestOutcome,
} from '../src/test-outcome.ts';

const directory = await mkdtemp(join(tmpdir(), 'tenantscope-outcome-'));
afterAll(() => rm(directory, { recursive: true }));

interface Result {
  readonly status: 'passed' | 'failed' | 'skipped' | 'todo';
  readonly fullName?: string;
  readonly tags?: string[];
}
const passed: Result = { status: 'passed' };
const failedTest = (fullName: string): Result => ({ status: 'failed', fullName });

const file = (path: string, results: readonly Result[], seconds = 1, status = 'passed') => ({
  name: join(checkout, path),
  status: results.some((result) => result.status === 'failed') ? 'failed' : status,
  startTime: 1_000,
  endTime: 1_000 + seconds * 1_000,
  assertionResults: results,
});

async function outcomeOf(files: readonly object[], exitCode: number, unhandledErrors = 0): Promise<TestOutcome> {
  const report = join(directory, 'report.json');
  await writeFile(report, JSON.stringify({ testResults: files }));
  return await readOutcome(report, exitCode, unhandledErrors);
}

test('the outcome line counts passed, failed and skipped tests', async () => {
  expect(formatOutcome(await outcomeOf([file('a.test.ts', [passed, passed])], 0))).toBe('2 passed, 0 failed');
  const mixed: Result[] = [passed, failedTest('x'), failedTest('y'), { status: 'skipped' }, { status: 'todo' }];
  expect(formatOutcome(await outcomeOf([file('a.test.ts', mixed)], 1))).toBe('1 passed, 2 failed, 2 skipped');
});

test('a file that cannot be loaded counts as one failure more', async () => {
  const files = [file('a.test.ts', [], 1, 'failed'), file('b.test.ts', [passed, failedTest('x')])];
  const outcome = await outcomeOf(files, 1);
  expect(formatOutcome(outcome)).toBe('1 passed, 2 failed');
  expect(formatFailures(outcome)).toEqual(['a.test.ts > the file as a whole', 'b.test.ts > x']);
});

test('a failed run without a failed test counts as a failure, as do a missing report and errors outside of tests', async () => {
  expect(formatOutcome(await outcomeOf([file('a.test.ts', [passed])], 1))).toBe('1 passed, 1 failed');
  expect(formatOutcome(await readOutcome(join(directory, 'missing.json'), 0))).toBe('0 passed, 1 failed');
  expect(formatOutcome(await outcomeOf([file('a.test.ts', [failedTest('x')])], 1, 2))).toBe('0 passed, 3 failed');
});

test('a second run replaces the files it ran, and no error outside of them', async () => {
  const first = await outcomeOf(
    [
      file('a.test.ts', [passed, failedTest('x'), failedTest('y'), { status: 'skipped' }]),
      file('b.test.ts', [], 1, 'failed'),
      file('c.test.ts', [passed]),
    ],
    1,
  );
  expect(listFailedFiles(first)).toEqual(['a.test.ts', 'b.test.ts']);
  const second = await outcomeOf(
    [file('a.test.ts', [passed, passed, failedTest('y'), { status: 'skipped' }]), file('b.test.ts', [passed, passed])],
    1,
  );
  const outcome = replaceFiles(first, second);
  expect(formatOutcome(outcome)).toBe('5 passed, 1 failed, 1 skipped');
  expect(formatFailures(outcome)).toEqual(['a.test.ts > y']);
  expect(formatOutcome(replaceFiles({ ...first, otherErrors: 1 }, second))).toBe('5 passed, 2 failed, 1 skipped');
});

test('a second run that ends without a report does not make the first pass', async () => {
  const first = await outcomeOf([file('a.test.ts', [passed, failedTest('x')])], 1);
  const second = await readOutcome(join(directory, 'missing.json'), 1);
  expect(formatOutcome(replaceFiles(first, second))).toBe('1 passed, 2 failed');
});

test('skipped tests are named by what they need, otherwise by their file', async () => {
  const skipped = (tags: string[] = []): Result => ({ status: 'skipped', tags });
  const keys = [skipped(['browser']), skipped(['exhaustive', 'browser']), passed];
  const outcome = await outcomeOf(
    [file('test/console/e2e/keys.test.ts', keys), file('test/mcp/python-clients.test.ts', [skipped()])],
    0,
  );
  expect(formatSkippedGroups(outcome)).toEqual([
    'skipped: 2 tests in a browser (Chromium is not installed)',
    'skipped: 1 tests of test/mcp/python-clients.test.ts',
  ]);
  expect(formatOutcome(outcome)).toBe('1 passed, 0 failed, 3 skipped');
});

test('the slowest files are listed with their seconds and their share of the time of all files', async () => {
  const files = [file('test/a.test.ts', [], 10), file('test/b.test.ts', [], 120), file('test/c.test.ts', [], 70)];
  expect(formatSlowestFiles(await outcomeOf(files, 0), 2)).toEqual([
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
