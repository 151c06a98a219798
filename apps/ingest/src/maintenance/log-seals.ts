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
import { type PassContext, repeatPasses } from './repeated-passes.ts';

const passIntervalMs = 60_000;
/** With a backlog of more than a day sealing works two thirds of the time instead of one: a process seals 14,000 rows a second without rests, and may ingest more than a third of that. */
const backlogSeconds = 86_400;
const backlogRestFactor = 0.5;

export const chooseRestFactor = (lagSeconds: number): number | undefined =>
  lagSeconds > backlogSeconds ? backlogRestFactor : undefined;

export interface LogSealOptions {
  readonly models: Pool;
  readonly watermark: Pick<Watermark, 'settled'>;
  readonly metrics: Pick<IngestMetrics, 'countSealedRows' | 'setSealLag'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Between two passes; a minute by default. */
  readonly intervalMs?: number;
}

interface SealedPartition {
  readonly partition: SealablePartition;
  /** A watermark of the log that was read before. */
  readonly throughMs: number;
  /** Of each step. */
  readonly restFactor: number | undefined;
}

/**
 * Seals closed partitions of the log, the oldest first. Runs in every ingest process; of several one at a time has a tenant. Nothing waits for it:
 * rows that are not sealed are read as before. What is interrupted goes on at the next block.
 */
export function sealLogInBackground(options: LogSealOptions): AsyncDisposable {
  const { models, watermark, metrics, log, intervalMs = passIntervalMs } = options;
  const failing = new Set<string>();

  const sealTenant = async ({ signal, runStep }: PassContext, tenantId: string, sealed: SealedPartition) => {
    for (let isDone = false; !isDone && !signal.aborted; ) {
      isDone = await runStep(async () => {
        const step = await sealNext(models, tenantId, sealed.partition, sealed.throughMs);
        metrics.countSealedRows(step.rows);
        return step.isDone;
      }, sealed.restFactor);
    }
  };
  /** False: it is tried again at the next pass. A partition is sealed when those of all tenants are. */
  const sealPartition = async (context: PassContext, sealed: SealedPartition): Promise<boolean> => {
    const { signal } = context;
    const { partition, throughMs } = sealed;
    for (const tenantId of await listLogTenants(models)) {
      if (signal.aborted) return false;
      await attempt(`sealing rows of tenant ${tenantId} failed`, () => sealTenant(context, tenantId, sealed));
    }
    if (signal.aborted || !(await completeSeal(models, partition, throughMs))) return false;
    log.info({ before: partition.to_at }, 'the log is sealed; its rows are read from blocks');
    return true;
  };
  const runPass = async (context: PassContext) => {
    for (let isSealing = true; isSealing && !context.signal.aborted; ) {
      const lagSeconds = await readSealLag(models);
      metrics.setSealLag(lagSeconds);
      const throughMs = watermark.settled('logs')?.throughMs;
      const partition = throughMs === undefined ? null : await findSealable(models, throughMs);
      isSealing =
        throughMs !== undefined &&
        partition !== null &&
        (await sealPartition(context, { partition, throughMs, restFactor: chooseRestFactor(lagSeconds) }));
    }
  };
  /** Other tenants have their turn; what fails again is written to the log once. */
  const attempt = async (message: string, work: () => Promise<void>) => {
    try {
      await work();
      failing.delete(message);
    } catch (error) {
      if (!failing.has(message)) log.warn({ err: error }, `${message}; rows are read as before; retrying`);
      failing.add(message);
    }
  };
  return repeatPasses(intervalMs, (context) => attempt('sealing the log failed', () => runPass(context)));
}
