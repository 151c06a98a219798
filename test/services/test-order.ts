import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The name of the project that repeats some files on the oldest supported PostgreSQL. */
export const oldestPostgresProject = 'oldest PostgreSQL';

/** Files that take more than 30 s on two cores, the longest first. A file that starts last and runs long leaves the other workers idle. */
const longest = [
  'test/console/e2e/feeds.test.ts',
  'test/console/e2e/faults.test.ts',
  'test/console/e2e/keyboard-navigation.test.ts',
  'test/console/e2e/keys.test.ts',
  'test/torture/snapshots.test.ts',
  'test/records/record-convergence.test.ts',
  'test/guards/plans.test.ts',
  'test/console/e2e/dead-letters.test.ts',
  'test/console/e2e/playground.test.ts',
  'test/console/e2e/playground-id-links.test.ts',
  'test/console/e2e/sign-in.test.ts',
  'test/records/security-alerts.test.ts',
  'test/api/time-windows.test.ts',
  'test/ingest/offset-gaps.test.ts',
  'test/console/e2e/frame.test.ts',
  'test/console/e2e/audit.test.ts',
  'test/console/dead-letters.test.ts',
];

/** Starts the longest files first, then the other files with services by size, then unit tests: short files fill the end of the run. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    return bySize.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ project, moduleId }: TestSpecification): number {
  if (project.name === 'unit') return longest.length + 1;
  const place = longest.findIndex((path) => moduleId.endsWith(`/${path}`));
  return place === -1 ? longest.length : place;
}
