import { parentPort, workerData } from 'node:worker_threads';
import type { TenantFacts } from '@tenantscope/intake';
import type { PackedRecords } from './packed-records.ts';
import { type PreparedSlice, type PrepareSettings, prepareSlice } from './prepare.ts';

export type WorkerRequest =
  | { kind: 'tenants'; tenants: ReadonlyMap<string, TenantFacts> }
  | { kind: 'slice'; number: number; packed: PackedRecords };

export interface WorkerAnswer {
  number: number;
  prepared: PreparedSlice;
}

const settings = workerData as PrepareSettings;
let tenants: ReadonlyMap<string, TenantFacts> = new Map();

parentPort?.on('message', (request: WorkerRequest) => {
  if (request.kind === 'tenants') {
    tenants = request.tenants;
    return;
  }
  const prepared = prepareSlice(request.packed, tenants, settings, Date.now());
  const { bytes, starts, ordinals } = prepared.rows;
  parentPort?.postMessage({ number: request.number, prepared } satisfies WorkerAnswer, [
    bytes.buffer as ArrayBuffer,
    starts.buffer as ArrayBuffer,
    ordinals.buffer as ArrayBuffer,
  ]);
});
