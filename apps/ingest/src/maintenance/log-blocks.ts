import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@tenantscope/runtime';
import { createBlockBacklog, type Watermark, writeLogBlocks } from '@tenantscope/store/ingest';
import type pg from 'pg';

const passIntervalMs = 15_000;
/** After each transaction, relative to its duration: blocks take a third of a core at most. */
const restFactor = 2;
const restMaxMs = 2_000;

export interface LogBlockOptions {
  readonly models: pg.Pool;
  readonly watermark: Watermark;
  readonly log: Log;
}

/**
 * Writes the blocks by which filtered pages find their rows. Runs in every ingest process; of several one at a time has a tenant. Nothing waits
 * for it: rows without a block are searched one by one.
 */
export function writeLogBlocksInBackground({ models, watermark, log }: LogBlockOptions): AsyncDisposable {
  const stopping = new AbortController();
  const { signal } = stopping;
  const backlog = createBlockBacklog(models);
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});

  const catchUp = async (tenantId: string): Promise<void> => {
    while (!signal.aborted) {
      const startedMs = performance.now();
      const throughMs = watermark.settled('logs')?.throughMs;
      if (throughMs === undefined) return;
      const slice = await writeLogBlocks(models, tenantId, throughMs);
      if (slice?.isComplete) backlog.complete(tenantId, slice.leftover);
      if (!slice || slice.isComplete || slice.rows === 0) return;
      await pause(Math.min((performance.now() - startedMs) * restFactor, restMaxMs));
    }
  };
  const run = async () => {
    let isFailing = false;
    while (!signal.aborted) {
      try {
        for (const tenantId of await backlog.find()) await catchUp(tenantId);
        if (isFailing) log.info('writing log blocks resumed');
        isFailing = false;
      } catch (error) {
        if (!isFailing) log.warn({ err: error }, 'writing log blocks failed; retrying in 15 s');
        isFailing = true;
      }
      await pause(passIntervalMs);
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
