import { runPeriodically } from '@tenantscope/runtime';
import { readScheduledTenants, readTakenPeriods, readWaitingSnapshotRequests } from '@tenantscope/store/snapshots';
import { createFallbackExecutor } from './fallback-executor.ts';
import type { JobMetrics } from './job-metrics.ts';
import { type DuePeriod, listDuePeriods, type Schedule } from './schedule.ts';
import type { SnapshotJob, SnapshotQueue } from './snapshot-queue.ts';
import type { SnapshotTasks } from './snapshot-tasks.ts';
import type { SnapshotDependencies } from './take-snapshot.ts';

type Pool = SnapshotDependencies['models'];

export interface SchedulerOptions {
  readonly control: Pool;
  readonly models: Pool;
  readonly cell: string;
  readonly schedule: Schedule;
  readonly queue: SnapshotQueue;
  readonly tasks: SnapshotTasks;
  readonly metrics: JobMetrics;
  /** Between two passes over the due snapshots. */
  readonly intervalMs: number;
  /** What this process has seen due for so long is executed inline, without the queue. */
  readonly inlineAfterMs: number;
}

export interface Scheduler extends AsyncDisposable {
  /** For how long the next pass is overdue; below zero while every loop is in time. */
  overdueMs(): number;
  /** For how long a pass that succeeds is overdue: meanwhile it is unknown what is due. */
  failingMs(): number;
}

const requestIntervalMs = 1_000;
const requestsPerPass = 100;
/** A user waits for these. */
const requestInlineAfterMs = 5_000;
/** A job's delay counts by the worker's clock, which may be a little behind the database's. */
const clockToleranceMs = 200;

/**
 * Compares the due snapshots with the taken ones and enqueues a job for each difference; any number of processes may. Between two passes only one thing
 * is remembered: since when each has been due. After a while it is executed inline, whatever the reason: Redis lost or hung, or its queue stuck.
 */
export function startScheduler(options: SchedulerOptions): Scheduler {
  const { queue, tasks, metrics } = options;
  const durations = createDurations();
  const snapshotExecutor = createFallbackExecutor(metrics);
  const requestExecutor = createFallbackExecutor(metrics);

  const enqueueDueSnapshots = async () => {
    const { missing, clockMs } = await readMissingPeriods(options);
    const overdue = missing.filter(({ dueAtMs }) => dueAtMs <= clockMs);
    metrics.setOverdue(overdue.length, Math.max(0, ...overdue.map(({ dueAtMs }) => clockMs - dueAtMs)));
    await queue.enqueue(createJobs(missing, clockMs));
    const expired = durations.findOlderThan(overdue.map(periodKey), options.inlineAfterMs);
    const tenantIds = new Set(overdue.filter((each) => expired.has(periodKey(each))).map(({ tenantId }) => tenantId));
    snapshotExecutor.start(
      [...tenantIds].map((tenantId) => ({ fields: { tenantId }, run: () => tasks.takeDueSnapshots(tenantId) })),
    );
  };
  const enqueueRequestedSnapshots = async () => {
    const waiting = await readWaitingSnapshotRequests(options.models, { limit: requestsPerPass });
    await queue.enqueue(waiting.map(({ id }) => ({ about: 'request', requestId: id })));
    requestExecutor.start(
      waiting
        .filter(({ waitedMs }) => waitedMs >= Math.min(requestInlineAfterMs, options.inlineAfterMs))
        .map(({ id }) => ({ fields: { requestId: id }, run: () => tasks.takeRequestedSnapshot(id) })),
    );
  };

  const startLoop = (pass: () => Promise<void>, intervalMs: number, failureMessage: string) => {
    let nextAtMs = performance.now() + intervalMs;
    let nextSuccessAtMs = nextAtMs;
    const loop = runPeriodically(intervalMs, async () => {
      const isSuccess = await pass().then(
        () => true,
        (error: unknown) => {
          metrics.warn(failureMessage, error);
          return false;
        },
      );
      nextAtMs = performance.now() + intervalMs;
      if (isSuccess) nextSuccessAtMs = nextAtMs;
    });
    return Object.assign(loop, {
      overdueMs: () => performance.now() - nextAtMs,
      failingMs: () => performance.now() - nextSuccessAtMs,
    });
  };
  const loops = [
    startLoop(enqueueDueSnapshots, options.intervalMs, 'cannot read due snapshots; retrying'),
    startLoop(enqueueRequestedSnapshots, requestIntervalMs, 'cannot read requested snapshots; retrying'),
  ];
  return {
    overdueMs: () => Math.max(...loops.map((loop) => loop.overdueMs())),
    failingMs: () => Math.max(...loops.map((loop) => loop.failingMs())),
    async [Symbol.asyncDispose]() {
      await Promise.all([...loops, snapshotExecutor, requestExecutor].map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

const tenantsPerQuery = 1_000;

/** The periods that are due before the next pass and have no snapshot. */
async function readMissingPeriods({
  control,
  models,
  cell,
  schedule,
  intervalMs,
}: SchedulerOptions): Promise<{ missing: DuePeriod[]; clockMs: number }> {
  const { tenants, clockMs } = await readScheduledTenants({ control, cell });
  const missing: DuePeriod[] = [];
  for (let from = 0; from < tenants.length; from += tenantsPerQuery) {
    const group = tenants.slice(from, from + tenantsPerQuery);
    const due = group.flatMap((tenant) => listDuePeriods(tenant, clockMs + intervalMs, schedule));
    const periods = [...new Set(due.map(({ period }) => period))];
    const taken = await readTakenPeriods(
      models,
      group.map(({ id }) => id),
      periods,
    );
    const takenKeys = new Set(taken.map(periodKey));
    missing.push(...due.filter((each) => !takenKeys.has(periodKey(each))));
  }
  return { missing, clockMs };
}

const periodKey = ({ tenantId, period }: { tenantId: string; period: string }) => `${tenantId} ${period}`;

/** One job a tenant for all that is overdue, since one job takes every due snapshot, and one for what is due before the next pass. */
function createJobs(missing: readonly DuePeriod[], clockMs: number): SnapshotJob[] {
  const first = new Map<string, DuePeriod>();
  for (const each of missing) {
    const group = `${each.tenantId} ${each.dueAtMs <= clockMs}`;
    if (!first.has(group)) first.set(group, each);
  }
  return [...first.values()].map(({ tenantId, period, dueAtMs }) => ({
    about: 'tenant',
    tenantId,
    period,
    delayMs: dueAtMs <= clockMs ? 0 : Math.ceil(dueAtMs - clockMs) + clockToleranceMs,
  }));
}

/** Measures for how long each key has been present without interruption. */
function createDurations() {
  let presentSince = new Map<string, number>();
  return {
    findOlderThan(keys: readonly string[], durationMs: number): Set<string> {
      const now = performance.now();
      presentSince = new Map(keys.map((key) => [key, presentSince.get(key) ?? now]));
      return new Set(keys.filter((key) => now - (presentSince.get(key) ?? now) >= durationMs));
    },
  };
}
