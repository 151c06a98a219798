import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import LongestFirst, { oldestPostgresProject } from './test/services/test-order.ts';

/** A browser test takes half a core: 41 s of CPU time in 93 s with the headless shell. A whole run with two and three workers used 1.43 of two cores. */
const browserWorkers = Math.max(3, Math.min(4, availableParallelism()));
/** The other tests wait more: 192 s of CPU time in 440 s. */
const waitingWorkers = browserWorkers + 1;

const browserTests = ['test/console/e2e/**/*.test.ts', 'test/console/browser-sign-in.test.ts'];
/** `npm test` without a choice of files runs browser tests first, then the others with more workers. */
const isWholeRun = process.env.TENANTSCOPE_TEST_WHOLE_RUN === '1';
const inGroup = (groupOrder: number, maxWorkers: number) =>
  isWholeRun ? { maxWorkers, sequence: { groupOrder } } : {};

/** Limits for a machine that is twice as busy as it has cores. A test that waits for a fact ends when it is there. */
const services = {
  // One process for all files of a worker, with one module cache: 18 short files took 33 s of CPU time instead of 56.
  isolate: false,
  globalSetup: 'test/services/global-setup.ts',
  setupFiles: ['test/services/file-setup.ts'],
  testTimeout: 180_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 30_000 } },
};

export default defineConfig({
  test: {
    maxWorkers: browserWorkers,
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
      { name: 'prometheus', description: 'Skipped where promtool is missing; `npm run torture` fetches it.' },
      { name: 'inspector', description: 'Skipped where the MCP Inspector is not installed.' },
      { name: 'helm', description: 'Skipped where Helm is not built: `npm run torture` builds it with Go.' },
      {
        name: 'compose',
        description: 'Skipped where the loader of Compose is not built: `npm run torture` builds it with Go.',
      },
      { name: 'kubernetes', description: 'Run by `npm run torture` where Go is installed: it builds an API server.' },
    ],
    projects: [
      {
        extends: true,
        // One module cache for all files: 17 s of CPU instead of 51. Modules are read by Node.js itself, which strips types as it does
        // in the product: less than Vite's transforms take. `vi.mock` needs those, and no unit test uses it.
        test: {
          name: 'unit',
          include: ['{packages,apps,infra}/*/test/**/*.test.ts'],
          isolate: false,
          experimental: { viteModuleRunner: false, nodeLoader: false },
          testTimeout: 30_000,
          hookTimeout: 60_000,
          ...inGroup(1, waitingWorkers),
        },
      },
      {
        extends: true,
        test: {
          name: 'services',
          include: ['test/**/*.test.ts'],
          ...(isWholeRun ? { exclude: [...configDefaults.exclude, ...browserTests] } : {}),
          ...services,
          ...inGroup(1, waitingWorkers),
        },
      },
      ...(isWholeRun
        ? [
            {
              extends: true as const,
              test: { name: 'browser', include: browserTests, ...services, ...inGroup(0, browserWorkers) },
            },
          ]
        : []),
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
                ...inGroup(1, waitingWorkers),
              },
            },
          ]
        : []),
    ],
  },
});
