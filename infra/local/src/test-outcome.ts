import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { checkout } from './checkout.ts';

/** One test file of a run. A file that two projects run is here once for each. */
export interface FileOutcome {
  readonly path: string;
  /** From the start of its first test to the end of its last. */
  readonly durationMs: number;
  readonly passed: number;
  /** Titles of the failed tests; of a file that cannot be loaded, one title that says so. */
  readonly failed: readonly string[];
  /** Skipped tests by group: what the tests need, otherwise their file. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** The results of a test run: its files, the longest first, and the number of errors outside of every file. */
export interface TestOutcome {
  readonly files: readonly FileOutcome[];
  readonly otherErrors: number;
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
  testResults: {
    name: string;
    status: string;
    startTime: number;
    endTime: number;
    assertionResults: { status: string; fullName: string; tags?: string[] }[];
  }[];
}

/**
 * Reads the runner's JSON report. A run without a report, or one that ended with an error and has no failed test, has an error
 * outside of every file.
 *
 * @param unhandledErrors errors that the runner counted outside of tests
 */
export async function readOutcome(file: string, exitCode: number, unhandledErrors = 0): Promise<TestOutcome> {
  const report = await readReport(file);
  const files = (report?.testResults ?? [])
    .map((result) => readFileOutcome(result))
    .toSorted((a, b) => b.durationMs - a.durationMs);
  const unexplained = exitCode !== 0 && files.every(({ failed }) => failed.length === 0) ? 1 : 0;
  return { files, otherErrors: report === null ? 1 : Math.max(unhandledErrors, unexplained) };
}

export const listFailedFiles = ({ files }: TestOutcome): string[] => [
  ...new Set(files.filter(({ failed }) => failed.length > 0).map(({ path }) => path)),
];

/** The first outcome, with the files of the second in place of its own. Errors outside of files are kept. */
export function replaceFiles(first: TestOutcome, second: TestOutcome): TestOutcome {
  const paths = new Set(second.files.map(({ path }) => path));
  return {
    files: [...first.files.filter(({ path }) => !paths.has(path)), ...second.files],
    otherErrors: first.otherErrors + second.otherErrors,
  };
}

export const countFailures = ({ files, otherErrors }: TestOutcome): number =>
  files.reduce((sum, { failed }) => sum + failed.length, otherErrors);

export function formatOutcome(outcome: TestOutcome): string {
  const passed = outcome.files.reduce((sum, file) => sum + file.passed, 0);
  const skipped = Object.values(groupSkipped(outcome)).reduce((sum, count) => sum + count, 0);
  return `${passed} passed, ${countFailures(outcome)} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** A line for each group of skipped tests, the largest first. */
export function formatSkippedGroups(outcome: TestOutcome): string[] {
  return Object.entries(groupSkipped(outcome))
    .toSorted(([, a], [, b]) => b - a)
    .map(([group, count]) => `skipped: ${count} ${group}`);
}

/** A line for each failed test. */
export const formatFailures = ({ files }: TestOutcome): string[] =>
  files.flatMap(({ path, failed }) => failed.map((title) => `${path} > ${title}`));

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

function readFileOutcome({
  name,
  status,
  startTime,
  endTime,
  assertionResults,
}: JsonReport['testResults'][number]): FileOutcome {
  const path = relative(checkout, name);
  const failed = assertionResults.filter((test) => test.status === 'failed').map(({ fullName }) => fullName);
  const skipped: Record<string, number> = {};
  for (const { status: state, tags = [] } of assertionResults) {
    if (!['skipped', 'pending', 'disabled', 'todo'].includes(state)) continue;
    const tag = tags.find((one) => Object.hasOwn(requirements, one));
    const group = tag === undefined ? `tests of ${path}` : (requirements[tag] ?? tag);
    skipped[group] = (skipped[group] ?? 0) + 1;
  }
  return {
    path,
    durationMs: endTime - startTime,
    passed: assertionResults.filter((test) => test.status === 'passed').length,
    failed: status === 'failed' && failed.length === 0 ? ['the file as a whole'] : failed,
    skipped,
  };
}

function groupSkipped({ files }: TestOutcome): Record<string, number> {
  const groups: Record<string, number> = {};
  for (const { skipped } of files)
    for (const [group, count] of Object.entries(skipped)) groups[group] = (groups[group] ?? 0) + count;
  return groups;
}

async function readReport(file: string): Promise<JsonReport | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as JsonReport;
  } catch {
    return null;
  }
}
