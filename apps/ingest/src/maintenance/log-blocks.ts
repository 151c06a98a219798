import type { Log } from '@tenantscope/runtime';
import type { Pool } from '@tenantscope/store/connection';
import { createBlockBacklog, type Watermark, writeLogBlocks } from '@tenantscope/store/ingest';
import type { IngestMetrics } from '../ingest-metrics.ts';
import { type PassContext, repeatPasses } from './repeated-passes.ts';

const passIntervalMs = 15_000;

export interface LogBlockOptions {
  readonly models: Pool;
  readonly watermark: Watermark;
  readonly metrics: Pick<IngestMetrics, 'setRowsWithoutBlock'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Between two passes; 15 s by default. */
  readonly intervalMs?: number;
}

/**
 * Writes the blocks by which filtered pages find their rows. Runs in every ingest process; of several one at a time has a tenant. Nothing waits
 * for it: rows without a block are searched one by one.
 */
export function writeLogBlocksInBackground(options: LogBlockOptions): AsyncDisposable {
  const { models, watermark, metrics, log, intervalMs = passIntervalMs } = options;
  const backlog = createBlockBacklog(models);

  /** Writes the next blocks of a tenant; false when all are written, or another process is at it. */
  const writeNext = async (tenantId: string): Promise<boolean> => {
    const throughMs = watermark.settled('logs')?.throughMs;
    if (throughMs === undefined) return false;
    const slice = await writeLogBlocks(models, tenantId, throughMs);
    if (slice?.isComplete) backlog.complete(tenantId, slice.leftover);
    return slice !== null && !slice.isComplete && slice.rows > 0;
  };
  /** Tenants take turns: the history of a large one takes minutes. */
  const runPass = async ({ signal, runStep }: PassContext) => {
    let tenantIds = await backlog.find();
    metrics.setRowsWithoutBlock(backlog.countRows());
    while (tenantIds.length > 0 && !signal.aborted) {
      const unfinished: string[] = [];
      for (const tenantId of tenantIds)
        if (!signal.aborted && (await runStep(() => writeNext(tenantId)))) unfinished.push(tenantId);
      tenantIds = unfinished;
      metrics.setRowsWithoutBlock(backlog.countRows());
    }
  };
  let isFailing = false;
  return repeatPasses(intervalMs, async (context) => {
    try {
      await runPass(context);
      if (isFailing) log.info('writing log blocks resumed');
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'writing log blocks failed; retrying at the next pass');
      isFailing = true;
    }
  });
}
