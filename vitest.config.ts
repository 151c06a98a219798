import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import LongestFirst, { oldestPostgresProject } from './test/services/test-order.ts';

/** Two on two cores: with three, browsers and services made a load of 17, and browser tests ran out of time. */
const maxWorkers = Math.max(2, Math.min(4, availableParallelism() - 1));

/** Limits for a machine that is twice as busy as it has cores. A test that waits for a fact ends when it is there. */
const services = {
  globalSetup: 'test/services/global-setup.ts',
  testTimeout: 180_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 30_000 } },
};

export default defineConfig({
  test: {
    maxWorkers,
    sequence: { sequencer: LongestFirst },
    tags: [
      {
        name: 'exhaustive',
        description:
          'Expensive property tests, large data sets and linters: run by `npm test`, left out of `npm run check`.',
      },
      { name: 'torture', description: 'Long forms: run by `npm run torture`.' },
      { name: 'browser', description: 'Skipped where Chromium is not installed.' },
      { name: 'shared-records', description: 'Skipped where published records of third parties are missing.' },
      { name: 'containers', description: 'Skipped where there is no container engine.' },
      { name: 'inspector', description: 'Skipped where the MCP Inspector is not installed.' },
    ],
    projects: [
      {
        extends: true,
        // One module cache for all files: 17 s of CPU instead of 51.
        test: {
          name: 'unit',
          include: ['{packages,apps,infra}/*/test/**/*.test.ts'],
          isolate: false,
          testTimeout: 30_000,
        },
      },
      { extends: true, test: { name: 'services', include: ['test/**/*.test.ts'], ...services } },
      // Set by `npm test` in a run of all tests.
      ...(process.env.TENANTSCOPE_TEST_OLDEST_POSTGRES
        ? [
            {
              extends: true as const,
              test: {
                name: oldestPostgresProject,
                include: [
                  'test/ingest/lane-invariants.test.ts',
                  'test/ingest/partitions.test.ts',
                  'test/ingest/redelivery.test.ts',
                  'test/guards/privileges.test.ts',
                ],
                ...services,
              },
            },
          ]
        : []),
    ],
  },
});
