import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Services need a core too.
    maxWorkers: Math.max(2, Math.min(3, availableParallelism() - 1)),
    projects: [
      { test: { name: 'unit', include: ['{packages,apps,infra}/*/test/**/*.test.ts'], testTimeout: 30_000 } },
      {
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
