import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The name of the project that repeats some files on the oldest supported PostgreSQL. */
export const oldestPostgresProject = 'oldest PostgreSQL';

/** Files that take more than 25 s on two busy cores, the longest first. A file that starts last and runs long leaves the other workers idle. */
const longest = [
  'test/collect/okta.test.ts',
  'test/collect/o365.test.ts',
  'test/ingest/kafka-clusters.test.ts',
  'test/console/e2e/faults.test.ts',
  'test/console/e2e/playground.test.ts',
  'test/console/e2e/screens.test.ts',
  'test/console/e2e/feeds.test.ts',
  'test/connections/kafka.test.ts',
  'test/console/e2e/keys.test.ts',
  'test/torture/snapshots.test.ts',
  'test/console/e2e/playground-id-links.test.ts',
  'test/ingest/stalled-lanes.test.ts',
  'test/console/e2e/sign-in.test.ts',
  'test/console/e2e/dead-letters.test.ts',
  'test/torture/service-outages.test.ts',
  'test/collect/killed-collector.test.ts',
  'test/console/e2e/frame.test.ts',
  'test/console/e2e/keyboard-navigation.test.ts',
  'test/console/feed-minutes.test.ts',
  'test/ingest/older-protocol.test.ts',
  'test/console/e2e/members.test.ts',
  'test/local/start.test.ts',
  'test/console/dead-letters.test.ts',
  'test/connections/postgres.test.ts',
  'test/ingest/offset-gaps.test.ts',
  'test/console/e2e/single-sign-on.test.ts',
  'test/console/e2e/passkeys.test.ts',
  'test/ingest/poison.test.ts',
  'test/console/e2e/audit.test.ts',
  'test/guards/plans.test.ts',
  'test/connections/redis.test.ts',
  'test/api/time-windows.test.ts',
  'test/console/http-security/hostile-input.test.ts',
  'test/cli/import.test.ts',
  'test/cli/dead-letters.test.ts',
  'test/torture/killed-ingest.test.ts',
  'test/console/e2e/playground-snippets.test.ts',
  'test/console/e2e/secrets.test.ts',
  'test/console/e2e/set-up.test.ts',
  'test/guards/feeds.test.ts',
  'test/mcp/python-clients.test.ts',
  'test/api/requests.test.ts',
  'test/ingest/real-records.test.ts',
  'test/console/e2e/playground-operations.test.ts',
  'test/guards/parameters.test.ts',
  'test/cli/unreachable.test.ts',
  'test/entities/entities.test.ts',
  'test/cli/snapshot.test.ts',
  'test/console/e2e/playground-limits.test.ts',
  'test/cli/attest.test.ts',
  'test/api/document-concurrency.test.ts',
  'test/mcp/inspector.test.ts',
];

/**
 * Starts the files on the oldest PostgreSQL and the longest files first, then the other files with services, then unit tests: short files fill the
 * end of the run. Vitest orders the others by their last duration on this machine; a file without one is placed by its size.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    return bySize.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ project, moduleId }: TestSpecification): number {
  if (project.name === oldestPostgresProject) return -1;
  if (project.name === 'unit') return longest.length + 1;
  const place = longest.findIndex((path) => moduleId.endsWith(`/${path}`));
  return place === -1 ? longest.length : place;
}
