import {
  failRequest,
  isUnavailable,
  QueryTimedOut,
  readScheduledTenants,
  readTakenPeriods,
  readWaitingRequests,
} from '@tenantscope/store';
import type { Observed } from './observations.ts';
import { owedPeriods, type Schedule } from './schedule.ts';
import { type Occasion, type SnapshotTenant, type Taking, takeSnapshot } from './take-snapshot.ts';

type Pool = Taking['models'];

/** What there is to do, whoever asks for it and however often: what is done already is not done again. */
export interface Work {
  /** Takes every snapshot the tenant owes by now, oldest first. */
  takeOwed(tenantId: string): Promise<void>;
  /** Takes the snapshot that somebody asked for. */
  takeRequested(requestId: string): Promise<void>;
}

/** Shown to whoever asked; the cause is in this process's log. */
const failureWords = 'The status could not be evaluated. The log of the jobs process says why.';

export function createWork(parts: { taking: Taking; control: Pool; schedule: Schedule; observed: Observed }): Work {
  const { taking, control, schedule, observed } = parts;

  const take = async (tenant: SnapshotTenant, occasion: Occasion): Promise<void> => {
    const begunMs = performance.now();
    const taken = await takeSnapshot(taking, tenant, occasion).catch((error: unknown) => {
      observed.failed(tenant.id, occasion, error);
      throw error;
    });
    if (taken) observed.taken(tenant.id, taken, performance.now() - begunMs);
  };

  return {
    async takeOwed(tenantId) {
      const { tenants, clockMs } = await readScheduledTenants(control, tenantId);
      for (const tenant of tenants) {
        const owed = owedPeriods(tenant, clockMs, schedule);
        const periods = owed.map(({ period }) => period);
        const taken = new Set((await readTakenPeriods(taking.models, [tenantId], periods)).map(({ period }) => period));
        for (const { period, endMs } of owed) {
          if (!taken.has(period)) await take(tenant, { kind: 'period', period, endMs });
        }
      }
    },
    async takeRequested(requestId) {
      const [request] = await readWaitingRequests(taking.models, { id: requestId });
      if (!request) return;
      const { tenantId, requestedBy } = request;
      const [tenant] = (await readScheduledTenants(control, tenantId)).tenants;
      if (!tenant) return failRequest(taking.models, requestId, 'There is no such tenant any more.');
      try {
        await take(tenant, { kind: 'request', requestId, requestedBy });
      } catch (error) {
        // What the environment causes passes, and the request waits for that.
        if (isUnavailable(error) || error instanceof QueryTimedOut) throw error;
        await failRequest(taking.models, requestId, failureWords);
      }
    },
  };
}
