import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // The services need a core too.
    maxWorkers: Math.max(2, Math.min(3, availableParallelism() - 1)),
    tags: [
      {
        name: 'exhaustive',
        description: 'Property tests and large data sets: run by `npm test`, left out of `npm run check`.',
      },
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
      {
        extends: true,
        test: {
          name: 'services',
          include: ['test/**/*.test.ts'],
          globalSetup: 'test/services/global-setup.ts',
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
