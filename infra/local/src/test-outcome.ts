import { readFile } from 'node:fs/promises';

/** The counts of a test run. A file that cannot be loaded and an error outside of every test count as failures. */
export interface TestOutcome {
  passed: number;
  failed: number;
  skipped: number;
}

interface JsonReport {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: { status: string; assertionResults: { status: string }[] }[];
}

/** Reads the runner's JSON report. A run without a report, or one that failed without a failed test, counts as one failure. */
export async function readOutcome(file: string, exitCode: number): Promise<TestOutcome> {
  const report = await readReport(file);
  if (report === null) return { passed: 0, failed: 1, skipped: 0 };
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  const failed = report.numFailedTests + brokenFiles.length;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && (exitCode !== 0 || !report.success) ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

export function formatOutcome({ passed, failed, skipped }: TestOutcome): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

async function readReport(file: string): Promise<JsonReport | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as JsonReport;
  } catch {
    return null;
  }
}

export function addOutcomes(a: TestOutcome, b: TestOutcome): TestOutcome {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  };
}
