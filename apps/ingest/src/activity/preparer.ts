import { Worker } from 'node:worker_threads';
import type { TenantFacts } from '@tenantscope/intake';
import type { TenantApp } from '@tenantscope/store/ingest';
import type { KafkaRecord } from '../kafka/kafka-reader.ts';
import { packRecords } from '../kafka/packed-records.ts';
import { createAppCache } from './app-cache.ts';
import { type PreparedSlice, type PrepareSettings, prepareSlice } from './prepare-slice.ts';
import type { WorkerRequest, WorkerResponse } from './prepare-worker.ts';
import { createPrincipalCache, type PrincipalChange } from './principal-cache.ts';

/** Turns records into slices that are ready to be written, in worker threads or in this one. */
export interface Preparer extends AsyncDisposable {
  prepare(records: readonly KafkaRecord[]): Promise<PreparedSlice>;
  /** Applies from the next slice on. */
  setTenants(tenants: ReadonlyMap<string, TenantFacts>): void;
  /** From the next slice on rows have the ids and names of these apps. */
  updateApps(apps: readonly TenantApp[]): void;
  /** From the next slice on actors are looked up among these principals. */
  changePrincipals(change: PrincipalChange): void;
}

/** A worker thread that ends makes the process exit by `crashed`: the state of its slices is unknown. */
export function createPreparer(workers: number, settings: PrepareSettings, crashed: (error: Error) => void): Preparer {
  return workers === 0 ? inThisThread(settings) : inWorkers(workers, settings, crashed);
}

function inThisThread(settings: PrepareSettings): Preparer {
  const caches = { apps: createAppCache(), principals: createPrincipalCache() };
  let tenants: ReadonlyMap<string, TenantFacts> = new Map();
  return {
    updateApps: caches.apps.update,
    changePrincipals: caches.principals.apply,
    prepare: async (records) => prepareSlice(packRecords(records), tenants, caches, settings, Date.now()),
    setTenants: (changed) => {
      tenants = changed;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

function inWorkers(count: number, settings: PrepareSettings, crashed: (error: Error) => void): Preparer {
  const pending = new Map<number, (prepared: PreparedSlice) => void>();
  let nextNumber = 0;
  let stopping = false;
  const pool = Array.from({ length: count }, () => {
    const worker = new Worker(new URL('./prepare-worker.ts', import.meta.url), { workerData: settings });
    worker.on('message', ({ number, prepared }: WorkerResponse) => {
      pending.get(number)?.(prepared);
      pending.delete(number);
    });
    worker.on('error', crashed);
    worker.on('exit', (code) => {
      if (!stopping) crashed(new Error(`worker thread exited with code ${code}`));
    });
    return worker;
  });
  return {
    prepare(records) {
      const packed = packRecords(records);
      const number = nextNumber++;
      const request: WorkerRequest = { kind: 'slice', number, packed };
      pool[number % count]?.postMessage(request, [
        packed.bytes,
        packed.lengths.buffer as ArrayBuffer,
        packed.headerSetIndexes.buffer as ArrayBuffer,
        packed.onlyElements.buffer as ArrayBuffer,
      ]);
      return new Promise((resolve) => pending.set(number, resolve));
    },
    setTenants(tenants) {
      for (const worker of pool) worker.postMessage({ kind: 'tenants', tenants } satisfies WorkerRequest);
    },
    updateApps(apps) {
      for (const worker of pool) worker.postMessage({ kind: 'apps', apps } satisfies WorkerRequest);
    },
    changePrincipals(change) {
      for (const worker of pool) worker.postMessage({ kind: 'principals', change } satisfies WorkerRequest);
    },
    async [Symbol.asyncDispose]() {
      stopping = true;
      await Promise.all(pool.map((worker) => worker.terminate()));
    },
  };
}
