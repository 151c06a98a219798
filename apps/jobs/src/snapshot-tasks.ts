import { isUnavailable, QueryTimedOut } from '@tenantscope/store/connection';
import {
  failSnapshotRequest,
  readScheduledTenants,
  readTakenPeriods,
  readWaitingSnapshotRequests,
} from '@tenantscope/store/snapshots';
import type { JobMetrics } from './job-metrics.ts';
import { listDuePeriods, type Schedule } from './schedule.ts';
import { type SnapshotDependencies, type SnapshotTenant, type SnapshotTrigger, takeSnapshot } from './take-snapshot.ts';

type Pool = SnapshotDependencies['models'];

/** The tasks of this process. All are idempotent: a snapshot that exists is not taken again. */
export interface SnapshotTasks {
  /** Takes every snapshot of the tenant that is due, oldest first. */
  takeDueSnapshots(tenantId: string): Promise<void>;
  takeRequestedSnapshot(requestId: string): Promise<void>;
}

/** Shown to the requester; the cause is in this process's log. */
const failureReason = 'The status could not be evaluated. See the log of the jobs process.';

export interface SnapshotTasksOptions {
  readonly dependencies: SnapshotDependencies;
  readonly control: Pool;
  readonly cell: string;
  readonly schedule: Schedule;
  readonly metrics: JobMetrics;
}

export function createSnapshotTasks({
  dependencies,
  control,
  cell,
  schedule,
  metrics,
}: SnapshotTasksOptions): SnapshotTasks {
  const { models } = dependencies;
  const take = async (tenant: SnapshotTenant, trigger: SnapshotTrigger): Promise<void> => {
    const startedAtMs = performance.now();
    const snapshot = await takeSnapshot(dependencies, tenant, trigger).catch((error: unknown) => {
      metrics.recordFailure(tenant.id, trigger, error);
      throw error;
    });
    if (snapshot) metrics.recordSnapshot(tenant.id, snapshot, performance.now() - startedAtMs);
  };

  return {
    async takeDueSnapshots(tenantId) {
      const { tenants, clockMs } = await readScheduledTenants({ control, cell }, tenantId);
      for (const tenant of tenants) {
        const due = listDuePeriods(tenant, clockMs, schedule);
        const periods = due.map(({ period }) => period);
        const taken = new Set((await readTakenPeriods(models, [tenantId], periods)).map(({ period }) => period));
        for (const { period, endMs } of due) {
          if (!taken.has(period)) await take(tenant, { kind: 'period', period, endMs });
        }
      }
    },
    async takeRequestedSnapshot(requestId) {
      const [request] = await readWaitingSnapshotRequests(models, { id: requestId });
      if (!request) return;
      const { tenantId, requestedBy } = request;
      const [tenant] = (await readScheduledTenants({ control, cell }, tenantId)).tenants;
      if (!tenant) return failSnapshotRequest(models, requestId, 'The tenant no longer exists.');
      try {
        await take(tenant, { kind: 'request', requestId, requestedBy });
      } catch (error) {
        // Transient errors: the request stays waiting.
        if (isUnavailable(error) || error instanceof QueryTimedOut) throw error;
        await failSnapshotRequest(models, requestId, failureReason);
      }
    },
  };
}
