import type { Addresses } from '@tenantscope/local';
import type { TestProject } from 'vitest/node';
import { borrowServices } from './shared-services.ts';
import { oldestPostgresProject } from './test-order.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The addresses of the services of this run. */
    services: Addresses;
    /** Identifies what this run creates on services that outlive it. */
    run: string;
  }
}

/** Before the first file of a project: provides the addresses of services to every test file. After its last file: returns them. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const isOldest = project.name === oldestPostgresProject;
  const borrowed = await borrowServices(isOldest ? process.env.TENANTSCOPE_TEST_OLDEST_POSTGRES : undefined);
  project.provide('services', borrowed.addresses);
  project.provide('run', borrowed.run);
  return async () => borrowed[Symbol.asyncDispose]();
}
