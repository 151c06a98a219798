import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The name of the project that repeats some files on the oldest supported PostgreSQL. */
export const oldestPostgresProject = 'oldest PostgreSQL';

/** Files that take more than 25 s on two cores, the longest first. A file that starts last and runs long leaves the other workers idle. */
const longest = [
  'test/ingest/stalled-lanes.test.ts',
  'test/ingest/kafka-clusters.test.ts',
  'test/collect/killed-collector.test.ts',
  'test/ingest/source-bindings.test.ts',
  'test/console/e2e/faults.test.ts',
  'test/collect/okta.test.ts',
  'test/connections/kafka.test.ts',
  'test/torture/snapshots.test.ts',
  'test/console/e2e/keys.test.ts',
  'test/cli/dead-letters-bulk.test.ts',
  'test/collect/graph.test.ts',
  'test/torture/service-outages.test.ts',
  'test/collect/o365.test.ts',
  'test/collect/interrupted-collector.test.ts',
  'test/console/e2e/keyboard-navigation.test.ts',
  'test/console/e2e/playground-id-links.test.ts',
  'test/collect/google.test.ts',
  'test/console/feed-minutes.test.ts',
  'test/local/start.test.ts',
  'test/console/http-security/hostile-input.test.ts',
  'test/console/e2e/feeds.test.ts',
  'test/console/e2e/dead-letters.test.ts',
  'test/console/e2e/playground.test.ts',
  'test/api/time-windows.test.ts',
  'test/console/e2e/screens.test.ts',
  'test/console/dead-letters.test.ts',
  'test/mcp/python-clients.test.ts',
  'test/ingest/offset-gaps.test.ts',
  'test/ingest/poison.test.ts',
  'test/console/e2e/sign-in.test.ts',
  'test/torture/killed-ingest.test.ts',
  'test/upgrade/migrations.test.ts',
  'test/torture/upgrade.test.ts',
  'test/cli/dead-letters.test.ts',
  'test/ingest/older-protocol.test.ts',
  'test/cli/import.test.ts',
  'test/console/e2e/playground-operations.test.ts',
  'test/bench/large-fill.test.ts',
  'test/guards/plans.test.ts',
  'test/ingest/bound-replays.test.ts',
  'test/ingest/hung-writers.test.ts',
  'test/cli/exception.test.ts',
  'test/cli/snapshot.test.ts',
  'test/ingest/compression.test.ts',
  'test/torture/group-rebalances.test.ts',
  'test/cli/source.test.ts',
  'test/cli/attest.test.ts',
  'test/console/e2e/frame.test.ts',
  'test/console/e2e/single-sign-on.test.ts',
  'test/connections/postgres.test.ts',
  'test/ingest/binding-rebalances.test.ts',
  'test/cli/unreachable.test.ts',
  'test/cli/migrate.test.ts',
  'test/local/interrupted-run.test.ts',
  'test/api/tenant-contention.test.ts',
];

/**
 * Starts the files on the oldest PostgreSQL first, then those with services, then unit tests: short files fill the end of the run. The longest files
 * wait most of the time (0.2 to 0.5 of a core) and the others compute (0.8): they are mixed, or the cores are idle in the first half of the run and
 * overloaded in the second. Vitest orders the others by their last duration on this machine; a file without one is placed by its size.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    const ranked = bySize.toSorted((a, b) => rank(a) - rank(b));
    const inOrder = (matches: (place: number) => boolean) => ranked.filter((file) => matches(rank(file)));
    return [
      ...inOrder((place) => place < 0),
      ...interleave(
        inOrder((place) => place >= 0 && place < longest.length),
        inOrder((place) => place === longest.length),
      ),
      ...inOrder((place) => place > longest.length),
    ];
  }
}

/** Both lists in their order, mixed in the ratio of their lengths; begins with the first of the first list. */
export function interleave<Item>(first: readonly Item[], second: readonly Item[]): Item[] {
  const placed = [
    ...first.map((item, index) => ({ item, at: index / first.length })),
    ...second.map((item, index) => ({ item, at: (index + 0.5) / second.length })),
  ];
  return placed.toSorted((a, b) => a.at - b.at).map(({ item }) => item);
}

function rank({ project, moduleId }: TestSpecification): number {
  if (project.name === oldestPostgresProject) return -1;
  if (project.name === 'unit') return longest.length + 1;
  const place = longest.findIndex((path) => moduleId.endsWith(`/${path}`));
  return place === -1 ? longest.length : place;
}
