import { Worker } from 'node:worker_threads';
import type { TenantFacts } from '@tenantscope/intake';
import type { AppOfTenant } from '@tenantscope/store';
import { appNames } from './apps.ts';
import { packRecords } from './packed-records.ts';
import { type PreparedSlice, type PrepareSettings, prepareSlice } from './prepare.ts';
import type { WorkerAnswer, WorkerRequest } from './prepare-worker.ts';
import type { ArrivedRecord } from './reader.ts';

/** Turns records into slices ready to be written, in worker threads or in this one. */
export interface Preparer extends AsyncDisposable {
  prepare(records: readonly ArrivedRecord[]): Promise<PreparedSlice>;
  /** From the next slice on these tenants are known. */
  know(tenants: ReadonlyMap<string, TenantFacts>): void;
  /** From the next slice on rows carry the ids and names of these apps. */
  learn(apps: readonly AppOfTenant[]): void;
}

/** A worker that dies ends the process by `crashed`: what it was doing cannot be known. */
export function createPreparer(workers: number, settings: PrepareSettings, crashed: (error: Error) => void): Preparer {
  return workers === 0 ? inThisThread(settings) : inWorkers(workers, settings, crashed);
}

function inThisThread(settings: PrepareSettings): Preparer {
  const names = appNames();
  let known: ReadonlyMap<string, TenantFacts> = new Map();
  return {
    learn: names.learn,
    prepare: async (records) => prepareSlice(packRecords(records), known, names.appOf, settings, Date.now()),
    know: (tenants) => {
      known = tenants;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

function inWorkers(count: number, settings: PrepareSettings, crashed: (error: Error) => void): Preparer {
  const waiting = new Map<number, (prepared: PreparedSlice) => void>();
  let number = 0;
  let stopping = false;
  const pool = Array.from({ length: count }, () => {
    const worker = new Worker(new URL('./prepare-worker.ts', import.meta.url), { workerData: settings });
    worker.on('message', ({ number: done, prepared }: WorkerAnswer) => {
      waiting.get(done)?.(prepared);
      waiting.delete(done);
    });
    worker.on('error', crashed);
    worker.on('exit', (code) => {
      if (!stopping) crashed(new Error(`a worker thread ended with ${code}`));
    });
    return worker;
  });
  return {
    prepare(records) {
      const packed = packRecords(records);
      const mine = number++;
      const request: WorkerRequest = { kind: 'slice', number: mine, packed };
      pool[mine % count]?.postMessage(request, [
        packed.bytes,
        packed.lengths.buffer as ArrayBuffer,
        packed.headerSetOf.buffer as ArrayBuffer,
        packed.onlyElements.buffer as ArrayBuffer,
      ]);
      return new Promise((resolve) => waiting.set(mine, resolve));
    },
    know(tenants) {
      for (const worker of pool) worker.postMessage({ kind: 'tenants', tenants } satisfies WorkerRequest);
    },
    learn(apps) {
      for (const worker of pool) worker.postMessage({ kind: 'apps', apps } satisfies WorkerRequest);
    },
    async [Symbol.asyncDispose]() {
      stopping = true;
      await Promise.all(pool.map((worker) => worker.terminate()));
    },
  };
}
