import { parentPort, workerData } from 'node:worker_threads';
import type { TenantFacts } from '@tenantscope/intake';
import type { AppOfTenant } from '@tenantscope/store';
import { appNames } from './apps.ts';
import type { PackedRecords } from './packed-records.ts';
import { type PreparedSlice, type PrepareSettings, prepareSlice } from './prepare.ts';

export type WorkerRequest =
  | { kind: 'tenants'; tenants: ReadonlyMap<string, TenantFacts> }
  | { kind: 'apps'; apps: readonly AppOfTenant[] }
  | { kind: 'slice'; number: number; packed: PackedRecords };

export interface WorkerAnswer {
  number: number;
  prepared: PreparedSlice;
}

const settings = workerData as PrepareSettings;
const names = appNames();
let tenants: ReadonlyMap<string, TenantFacts> = new Map();

parentPort?.on('message', (request: WorkerRequest) => {
  if (request.kind === 'tenants') {
    tenants = request.tenants;
    return;
  }
  if (request.kind === 'apps') {
    names.learn(request.apps);
    return;
  }
  const prepared = prepareSlice(request.packed, tenants, names.appOf, settings, Date.now());
  const { bytes, starts, ordinals, sourceOf } = prepared.rows;
  parentPort?.postMessage({ number: request.number, prepared } satisfies WorkerAnswer, [
    bytes.buffer as ArrayBuffer,
    starts.buffer as ArrayBuffer,
    ordinals.buffer as ArrayBuffer,
    sourceOf.buffer as ArrayBuffer,
  ]);
});
