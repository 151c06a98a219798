import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { checkout } from './checkout.ts';

/** The counts of a test run. A file that cannot be loaded and an error outside of every test count as failures. */
export interface TestOutcome {
  passed: number;
  failed: number;
  skipped: number;
  /** Skipped tests by group: what the tests need, otherwise their file. */
  skippedGroups: Readonly<Record<string, number>>;
  /** Every file with the time from the start of its first test to the end of its last, the longest first. A file that two projects run is here twice. */
  files: readonly { readonly path: string; readonly durationMs: number }[];
}

/** What the tests with a tag need, where that may be missing: the tag, then the name of the group. */
const requirements: Readonly<Record<string, string>> = {
  browser: 'tests in a browser (Chromium is not installed)',
  'shared-records': 'tests on published records (../shared/real-data is missing next to the checkout)',
  containers: 'tests of services in containers (no container engine)',
  helm: 'tests of the Helm chart (Helm is not built; npm run torture builds it where Go is installed)',
  compose: 'tests of the Compose file (compose-spec is not built; npm run torture builds it where Go is installed)',
  kubernetes: 'tests with a Kubernetes API server (npm run torture builds it where Go is installed)',
  inspector: 'tests of the MCP Inspector (@modelcontextprotocol/inspector is not installed)',
  prometheus: 'tests of alert rules (promtool is not installed; npm run torture fetches it)',
  torture: 'long forms of tests (run by npm run torture)',
};

interface JsonReport {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: {
    name: string;
    status: string;
    startTime: number;
    endTime: number;
    assertionResults: { status: string; tags?: string[] }[];
  }[];
}

/** Reads the runner's JSON report. A run without a report, or one that failed without a failed test, counts as one failure. */
export async function readOutcome(file: string, exitCode: number): Promise<TestOutcome> {
  const report = await readReport(file);
  if (report === null) return { passed: 0, failed: 1, skipped: 0, skippedGroups: {}, files: [] };
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  const failed = report.numFailedTests + brokenFiles.length;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && (exitCode !== 0 || !report.success) ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
    skippedGroups: countSkipped(report),
    files: listFiles(report),
  };
}

export function formatOutcome({ passed, failed, skipped }: TestOutcome): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** A line for each group of skipped tests, the largest first. */
export function formatSkippedGroups({ skippedGroups }: TestOutcome): string[] {
  return Object.entries(skippedGroups)
    .toSorted(([, a], [, b]) => b - a)
    .map(([group, count]) => `skipped: ${count} ${group}`);
}

/** The files that took longest, so that the time of a run stays visible. */
export function formatSlowestFiles({ files }: TestOutcome, count: number): string[] {
  const totalMs = files.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const slowest = files.slice(0, count);
  const shownMs = slowest.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const share = totalMs === 0 ? 0 : Math.round((100 * shownMs) / totalMs);
  return [
    `slowest: ${slowest.length} of ${files.length} files, ${share} % of the time of all`,
    ...slowest.map(({ path, durationMs }) => `  ${(durationMs / 1000).toFixed(0).padStart(4)} s  ${path}`),
  ];
}

function listFiles({ testResults }: JsonReport): TestOutcome['files'] {
  return testResults
    .map(({ name, startTime, endTime }) => ({ path: relative(checkout, name), durationMs: endTime - startTime }))
    .toSorted((a, b) => b.durationMs - a.durationMs);
}

function countSkipped(report: JsonReport): Record<string, number> {
  const groups: Record<string, number> = {};
  for (const { name, assertionResults } of report.testResults)
    for (const { status, tags = [] } of assertionResults) {
      if (!['skipped', 'pending', 'disabled', 'todo'].includes(status)) continue;
      const tag = tags.find((one) => Object.hasOwn(requirements, one));
      const group = tag === undefined ? `tests of ${relative(checkout, name)}` : (requirements[tag] ?? tag);
      groups[group] = (groups[group] ?? 0) + 1;
    }
  return groups;
}

async function readReport(file: string): Promise<JsonReport | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as JsonReport;
  } catch {
    return null;
  }
}
