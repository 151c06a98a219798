import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@tenantscope/runtime';
import type { Pool } from '@tenantscope/store/connection';
import {
  completeSeal,
  findSealable,
  listLogTenants,
  readSealLag,
  type SealablePartition,
  sealNext,
  type Watermark,
} from '@tenantscope/store/ingest';
import type { IngestMetrics } from '../ingest-metrics.ts';

const passIntervalMs = 60_000;
/** After each transaction, relative to its duration: sealing takes a third of the time at most, of one core and of the threads that compress. */
const restFactor = 2;
const restMaxMs = 2_000;

export interface LogSealOptions {
  readonly models: Pool;
  readonly watermark: Pick<Watermark, 'settled'>;
  readonly metrics: Pick<IngestMetrics, 'countSealedRows' | 'setSealLag'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Between two passes; a minute by default. */
  readonly intervalMs?: number;
}

/**
 * Seals closed partitions of the log, the oldest first. Runs in every ingest process; of several one at a time has a tenant. Nothing waits for it:
 * rows that are not sealed are read as before. What is interrupted goes on at the next block.
 */
export function sealLogInBackground(options: LogSealOptions): AsyncDisposable {
  const { models, watermark, metrics, log, intervalMs = passIntervalMs } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
  const failing = new Set<string>();

  const sealTenant = async (tenantId: string, partition: SealablePartition, throughMs: number) => {
    for (let isDone = false; !isDone && !signal.aborted; ) {
      const startedMs = performance.now();
      const step = await sealNext(models, tenantId, partition, throughMs);
      metrics.countSealedRows(step.rows);
      isDone = step.isDone;
      await pause(Math.min((performance.now() - startedMs) * restFactor, restMaxMs));
    }
  };
  /** False: it is tried again at the next pass. A partition is sealed when those of all tenants are. */
  const sealPartition = async (partition: SealablePartition, throughMs: number): Promise<boolean> => {
    for (const tenantId of await listLogTenants(models)) {
      if (signal.aborted) return false;
      await attempt(`sealing rows of tenant ${tenantId} failed`, () => sealTenant(tenantId, partition, throughMs));
    }
    if (signal.aborted || !(await completeSeal(models, partition, throughMs))) return false;
    log.info({ before: partition.to_at }, 'the log is sealed; its rows are read from blocks');
    return true;
  };
  const runPass = async () => {
    for (let isSealing = true; isSealing && !signal.aborted; ) {
      metrics.setSealLag(await readSealLag(models));
      const throughMs = watermark.settled('logs')?.throughMs;
      const partition = throughMs === undefined ? null : await findSealable(models, throughMs);
      isSealing = throughMs !== undefined && partition !== null && (await sealPartition(partition, throughMs));
    }
  };
  /** Other tenants have their turn; what fails again is written to the log once. */
  const attempt = async (message: string, work: () => Promise<void>) => {
    try {
      await work();
      failing.delete(message);
    } catch (error) {
      if (!failing.has(message)) log.warn({ err: error }, `${message}; rows are read as before, and it is retried`);
      failing.add(message);
    }
  };
  const run = async () => {
    while (!signal.aborted) {
      await attempt('sealing the log failed', runPass);
      await pause(intervalMs);
    }
  };
  const running = run();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
    },
  };
}
