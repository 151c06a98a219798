import { randomBytes } from 'node:crypto';
import type { Addresses } from '@tenantscope/local';
import type { TestProject } from 'vitest/node';
import { startTestServices } from './driver.ts';
import { dropTemplate } from './template.ts';
import { oldestPostgresProject } from './test-order.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The addresses of the services of this run. */
    services: Addresses;
    /** Identifies what this run creates on services that outlive it. */
    run: string;
  }
}

/** Once for the whole run: starts the services, provides their addresses to every test file, stops the services. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const isOldest = project.name === oldestPostgresProject;
  const services = await startTestServices(isOldest ? process.env.TENANTSCOPE_TEST_OLDEST_POSTGRES : undefined);
  const run = randomBytes(4).toString('hex');
  project.provide('services', { kafka: services.kafka, postgres: services.postgres, redis: services.redis });
  project.provide('run', run);
  return async () => {
    await dropTemplate(services.postgres, run);
    await services[Symbol.asyncDispose]();
  };
}
