import { parentPort, workerData } from 'node:worker_threads';
import type { TenantFacts } from '@tenantscope/intake';
import type { TenantApp } from '@tenantscope/store/ingest';
import type { PackedRecords } from '../kafka/packed-records.ts';
import { createAppCache } from './app-cache.ts';
import { type PreparedSlice, type PrepareSettings, prepareSlice } from './prepare-slice.ts';

export type WorkerRequest =
  | { kind: 'tenants'; tenants: ReadonlyMap<string, TenantFacts> }
  | { kind: 'apps'; apps: readonly TenantApp[] }
  | { kind: 'slice'; number: number; packed: PackedRecords };

export interface WorkerResponse {
  number: number;
  prepared: PreparedSlice;
}

const settings = workerData as PrepareSettings;
const appCache = createAppCache();
let tenants: ReadonlyMap<string, TenantFacts> = new Map();

parentPort?.on('message', (request: WorkerRequest) => {
  if (request.kind === 'tenants') {
    tenants = request.tenants;
    return;
  }
  if (request.kind === 'apps') {
    appCache.update(request.apps);
    return;
  }
  const prepared = prepareSlice(request.packed, tenants, appCache.findApp, settings, Date.now());
  const { bytes, starts, ordinals, sourceIndexes } = prepared.rows;
  parentPort?.postMessage({ number: request.number, prepared } satisfies WorkerResponse, [
    bytes.buffer as ArrayBuffer,
    starts.buffer as ArrayBuffer,
    ordinals.buffer as ArrayBuffer,
    sourceIndexes.buffer as ArrayBuffer,
  ]);
});
