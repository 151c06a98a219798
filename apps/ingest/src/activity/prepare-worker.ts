import { parentPort, workerData } from 'node:worker_threads';
import type { TenantFacts } from '@tenantscope/intake';
import type { TenantApp } from '@tenantscope/store/ingest';
import type { PackedRecords } from '../kafka/packed-records.ts';
import { createAppCache } from './app-cache.ts';
import { type PreparedSlice, type PrepareSettings, prepareSlice } from './prepare-slice.ts';
import { createPrincipalCache, type PrincipalChange } from './principal-cache.ts';

export type WorkerRequest =
  | { kind: 'tenants'; tenants: ReadonlyMap<string, TenantFacts> }
  | { kind: 'apps'; apps: readonly TenantApp[] }
  | { kind: 'principals'; change: PrincipalChange }
  | { kind: 'slice'; number: number; packed: PackedRecords };

export interface WorkerResponse {
  number: number;
  prepared: PreparedSlice;
}

const settings = workerData as PrepareSettings;
const caches = { apps: createAppCache(), principals: createPrincipalCache() };
let tenants: ReadonlyMap<string, TenantFacts> = new Map();

parentPort?.on('message', (request: WorkerRequest) => {
  if (request.kind === 'tenants') {
    tenants = request.tenants;
    return;
  }
  if (request.kind === 'apps') {
    caches.apps.update(request.apps);
    return;
  }
  if (request.kind === 'principals') {
    caches.principals.apply(request.change);
    return;
  }
  const prepared = prepareSlice(request.packed, tenants, caches, settings, Date.now());
  const { bytes, starts, ordinals, sourceIndexes, tallies, reads, raw } = prepared.rows;
  parentPort?.postMessage({ number: request.number, prepared } satisfies WorkerResponse, [
    bytes.buffer as ArrayBuffer,
    starts.buffer as ArrayBuffer,
    ordinals.buffer as ArrayBuffer,
    sourceIndexes.buffer as ArrayBuffer,
    tallies.lines.buffer as ArrayBuffer,
    tallies.keyIndexes.buffer as ArrayBuffer,
    reads.bytes.buffer as ArrayBuffer,
    reads.starts.buffer as ArrayBuffer,
    reads.lines.buffer as ArrayBuffer,
    raw.bytes.buffer as ArrayBuffer,
    raw.starts.buffer as ArrayBuffer,
    raw.frameIndexes.buffer as ArrayBuffer,
    raw.frames.buffer as ArrayBuffer,
  ]);
});
