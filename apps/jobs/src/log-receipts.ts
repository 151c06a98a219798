import { setTimeout as sleep } from 'node:timers/promises';
import { dayMs, type LogReceipt } from '@tenantscope/contract';
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
  readonly cell: string;
  readonly intervalMs: number;
  readonly written: () => void;
  /** The end of the oldest day that is complete and has no receipt; null if every such day has one. */
  readonly setDue: (dayEndMs: number | null) => void;
  readonly failed: (message: string, error: unknown) => void;
}

const pageTimeoutMs = 30_000;
const startOfDay = (ms: number) => Math.floor(ms / dayMs) * dayMs;

/**
 * Writes the receipt of every tenant and day once the day is settled, one day after the other. Any number of processes may: a receipt that exists is
 * not written again. Disposing ends between two pages; the next process begins with the same day.
 */
export function startLogReceipts({
  models,
  control,
  cell,
  intervalMs,
  written,
  setDue,
  failed,
}: ReceiptOptions): AsyncDisposable {
  const stop = new AbortController();
  const { signal } = stop;
  /** By tenant: the beginning of the day that was not over when the tenant had every receipt. */
  const done = new Map<string, number>();
  /** By tenant: the end of the day whose receipt is being written, or was not written. */
  const due = new Map<string, number>();
  const report = () => setDue(due.size === 0 ? null : Math.min(...due.values()));
  const writeReceipts = async (tenantId: string, todayMs: number) => {
    for (;;) {
      const next = await findNextReceipt(models, tenantId, todayMs);
      if (next === null) return;
      due.set(tenantId, next.dayMs + dayMs);
      report();
      if (await writeReceipt(models, tenantId, next, todayMs, signal)) written();
    }
  };
  const pass = async () => {
    const settledMs = await readLogSettled(models);
    if (settledMs === null) return;
    const todayMs = startOfDay(settledMs);
    const tenantIds = (await readScheduledTenants({ control, cell })).tenants.map(({ id }) => id);
    for (const id of due.keys()) if (!tenantIds.includes(id)) due.delete(id);
    for (const id of tenantIds) {
      if (done.get(id) === todayMs) continue;
      try {
        await writeReceipts(id, todayMs);
      } catch (error) {
        // The next tenant has its turn.
        if (signal.aborted) return;
        failed('cannot write receipts of a tenant; retrying', error);
        continue;
      }
      due.delete(id);
      done.set(id, todayMs);
    }
    report();
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

interface NextReceipt {
  readonly dayMs: number;
  readonly previousSha256: string | null;
}

/** The tenant's next day before `todayMs`, which is settled; null if there is none. */
async function findNextReceipt(models: Pool, tenantId: string, todayMs: number): Promise<NextReceipt | null> {
  const end = await readLogReceiptEnd(models, tenantId);
  const nextMs = findNextDay(end);
  return nextMs === null || nextMs >= todayMs ? null : { dayMs: nextMs, previousSha256: end.sha256 };
}

/** False if another process was first, or rows of the day were deleted by age meanwhile. */
async function writeReceipt(
  models: Pool,
  tenantId: string,
  { dayMs: nextMs, previousSha256 }: NextReceipt,
  todayMs: number,
  signal: AbortSignal,
): Promise<boolean> {
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
  return insertLogReceipt(models, await closeReceipt({ tenantId, day, ...content, previousSha256 }));
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
