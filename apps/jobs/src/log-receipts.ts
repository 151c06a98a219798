import { setTimeout as sleep } from 'node:timers/promises';
import type { LogReceipt } from '@tenantscope/contract';
import { digestJson } from '@tenantscope/proof';
import { runPeriodically } from '@tenantscope/runtime';
import type { Pool } from '@tenantscope/store/connection';
import {
  digestDay,
  insertLogReceipt,
  type LogReceiptEnd,
  readLogReceiptEnd,
  readLogSettled,
} from '@tenantscope/store/receipts';
import { readScheduledTenants } from '@tenantscope/store/snapshots';

export interface ReceiptOptions {
  readonly models: Pool;
  readonly control: Pool;
  readonly intervalMs: number;
  readonly written: () => void;
  readonly failed: (message: string, error: unknown) => void;
}

const dayMs = 86_400_000;
const pageTimeoutMs = 30_000;
const startOfDay = (ms: number) => Math.floor(ms / dayMs) * dayMs;

/**
 * Writes the receipt of every tenant and day once the day is settled, one day after the other. Any number of processes may: a receipt that exists is
 * not written again. Disposing ends between two pages; the next process begins with the same day.
 */
export function startLogReceipts({ models, control, intervalMs, written, failed }: ReceiptOptions): AsyncDisposable {
  const stop = new AbortController();
  const { signal } = stop;
  /** By tenant: the beginning of the day that was not over when the tenant had every receipt. */
  const done = new Map<string, number>();
  const pass = async () => {
    const settledMs = await readLogSettled(models);
    if (settledMs === null) return;
    const todayMs = startOfDay(settledMs);
    const { tenants } = await readScheduledTenants(control);
    for (const { id } of tenants) {
      if (done.get(id) === todayMs) continue;
      while (await writeNextReceipt(models, id, todayMs, signal)) written();
      done.set(id, todayMs);
    }
  };
  const loop = runPeriodically(intervalMs, () =>
    pass().catch((error: unknown) => {
      if (!signal.aborted) failed('cannot write receipts of the log; retrying', error);
    }),
  );
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await loop[Symbol.asyncDispose]();
    },
  };
}

/** Writes the receipt of the tenant's next day before `todayMs`, which is settled; false if there is none. */
export async function writeNextReceipt(
  models: Pool,
  tenantId: string,
  todayMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const end = await readLogReceiptEnd(models, tenantId);
  const nextMs = findNextDay(end);
  if (nextMs === null || nextMs >= todayMs) return false;
  // Days before yesterday are a backlog, after an upgrade or an outage: half of the time is left to others.
  const isBacklog = nextMs < todayMs - dayMs;
  const content = await digestDay(models, {
    tenantId,
    dayMs: nextMs,
    timeoutMs: pageTimeoutMs,
    signal,
    rest: async (pageMs) => {
      if (isBacklog) await sleep(pageMs, undefined, { signal });
    },
  });
  const day = new Date(nextMs).toISOString().slice(0, 10);
  return insertLogReceipt(models, await closeReceipt({ tenantId, day, ...content, previousSha256: end.sha256 }));
}

/** The day after the last receipt, first that of the oldest row. Days whose rows were deleted by age have no receipt. */
function findNextDay({ dayMs: lastMs, oldestRowMs, droppedBeforeMs }: LogReceiptEnd): number | null {
  const nextMs = lastMs === null ? oldestRowMs : lastMs + dayMs;
  if (nextMs === null) return null;
  return Math.max(startOfDay(nextMs), droppedBeforeMs === null ? 0 : Math.ceil(droppedBeforeMs / dayMs) * dayMs);
}

async function closeReceipt(content: Omit<LogReceipt, 'sha256'>): Promise<LogReceipt> {
  return { ...content, sha256: await digestJson(content) };
}
