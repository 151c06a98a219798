import { randomBytes } from 'node:crypto';
import { type Addresses, buildProductBundle } from '@tenantscope/local';
import { startTestServices } from './driver.ts';
import { dropTemplate } from './template.ts';
import type { Services } from './test-services.ts';

/** The services of a run, for one project of vitest. Disposing stops them when no other project uses them. */
export interface BorrowedServices extends AsyncDisposable {
  readonly addresses: Addresses;
  readonly run: string;
}

interface SharedServices {
  readonly started: Promise<Services>;
  readonly run: string;
  borrowers: number;
}

declare global {
  /** Each project loads its global setup with a module cache of its own; what they share is global. By the directory of PostgreSQL's programs. */
  var tenantscopeTestServices: Map<string | undefined, SharedServices> | undefined;
}

/** Starts the services for the first project that needs them. Projects of one run use the same. */
export async function borrowServices(postgresBinaries?: string): Promise<BorrowedServices> {
  globalThis.tenantscopeTestServices ??= new Map();
  const all = globalThis.tenantscopeTestServices;
  const shared = all.get(postgresBinaries) ?? {
    // Before the first file: otherwise each worker builds the bundle.
    started: buildProductBundle().then(() => startTestServices(postgresBinaries)),
    run: randomBytes(4).toString('hex'),
    borrowers: 0,
  };
  all.set(postgresBinaries, shared);
  shared.borrowers += 1;
  const services = await shared.started;
  return {
    addresses: { kafka: services.kafka, postgres: services.postgres, redis: services.redis },
    run: shared.run,
    async [Symbol.asyncDispose]() {
      shared.borrowers -= 1;
      if (shared.borrowers > 0) return;
      all.delete(postgresBinaries);
      await dropTemplate(services.postgres, shared.run);
      await services[Symbol.asyncDispose]();
    },
  };
}
